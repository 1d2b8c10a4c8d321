package io.lockstarter.redis.quorum;

/**
 * Counts plain answers until a majority agrees or all have answered.
 */
final class Majority {

	private final int servers;

	private int yes;

	private int no;

	private int failed;

	Majority(int servers) {
		this.servers = servers;
	}

	/** How many servers make a majority. */
	static int of(int servers) {
		return servers / 2 + 1;
	}

	synchronized Result yes() {
		this.yes++;
		return result();
	}

	synchronized Result no() {
		this.no++;
		return result();
	}

	synchronized Result failed() {
		this.failed++;
		return result();
	}

	private Result result() {
		int majority = of(this.servers);
		if (this.yes >= majority) {
			return Result.YES;
		}
		if (this.no >= majority) {
			return Result.NO;
		}
		if (this.yes + this.no + this.failed < this.servers) {
			return Result.OPEN;
		}
		return (this.failed >= majority) ? Result.UNREACHABLE : Result.DIVIDED;
	}

	/**
	 * What the answers amount to.
	 */
	enum Result {

		/** More answers are to be waited for. */
		OPEN,
		/** A majority says yes. */
		YES,
		/** A majority says no. */
		NO,
		/** A majority has answered, but no majority agrees. */
		DIVIDED,
		/** A majority has not answered. */
		UNREACHABLE

	}

}
