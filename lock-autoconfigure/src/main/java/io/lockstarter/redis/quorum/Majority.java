package io.lockstarter.redis.quorum;

/**
 * Count of yes-or-no replies, until a majority agrees or all servers have replied.
 * <p>
 * Safe for use by multiple threads.
 */
final class Majority {

	private final int servers;

	private int yes;

	private int no;

	private int failed;

	Majority(int servers) {
		this.servers = servers;
	}

	/** Returns the number of servers that form a majority. */
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
	 * Result of the replies so far.
	 */
	enum Result {

		/** More replies are necessary. */
		OPEN,
		/** A majority says yes. */
		YES,
		/** A majority says no. */
		NO,
		/** A majority has replied, but no majority agrees. */
		DIVIDED,
		/** A majority has failed to reply. */
		UNREACHABLE

	}

}
