package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Consumer;

import io.lockstarter.redis.quorum.Ballot.Decision;

/**
 * One state of an abstract quorum: three servers, clients that take one lock again and
 * again, and a network that delivers what was sent at any time, any number of times, or
 * never. An answer arrives when it is given, or never: a client that counts it later only
 * decides later. Each action makes a copy of the state.
 * <p>
 * Time is left out. A server drops a lock when its client no longer relies on it, which
 * is all that a lease counted from before the request ensures. A server that has lost its
 * memory votes when nobody relies any more on what it had before: who held then has
 * ended, or was confirmed by a majority of the others since. It accepts bases above all
 * that were proposed before, which is what its clock ensures. A tenure that was held may
 * be put back on any server that votes, at any time. The clients' clocks are of no use:
 * they always begin with the lowest base. Readers may hold at once; their tokens differ,
 * and are above those of all who held before they asked.
 */
final class QuorumModel {

	static final int SERVERS = 3;

	private static final byte NONE = 0;

	private static final byte REFUSED = 100;

	private static final byte ENDED = 101;

	/** Added to the lowest base that a server would accept. */
	private static final byte TOO_LOW = 50;

	private static final byte ASKING = 1;

	private static final byte HOLDING = 2;

	private static final byte OVER = 3;

	private final Bounds bounds;

	private final Variant variant;

	/** For each tenure its status, and whether it was ended by its client. */
	private byte[] status;

	/** What each tenure has proposed in each round. */
	private byte[] proposed;

	/** For each tenure and server the vote that was counted. */
	private byte[] counted;

	private byte[] round;

	/** For each server the tenures that have the lock, as bits, and its counter. */
	private byte[] holders;

	private byte[] counter;

	/** For each reader and server the base that it has there. */
	private byte[] shares;

	/**
	 * For each reader the highest token when it began to ask, and if there are readers
	 * for each tenure its token.
	 */
	private byte[] least;

	private byte[] tokens;

	/** For each server the tenures that ended there, as bits. */
	private byte[] ended;

	/** For each server the tenures that it waits for before it votes, as bits. */
	private byte[] awaited;

	private byte[] forgetful;

	/** The tenures that were held, as bits, and if servers may crash the base of each. */
	private byte held;

	private byte[] bases;

	private byte crashes;

	private byte lastToken;

	private byte highest;

	private String fault = "";

	QuorumModel(Bounds bounds, Variant variant) {
		this.bounds = bounds;
		this.variant = variant;
		int tenures = bounds.tenures();
		this.status = new byte[tenures];
		this.proposed = new byte[tenures * bounds.rounds()];
		this.counted = new byte[tenures * SERVERS];
		this.round = new byte[tenures];
		this.holders = new byte[SERVERS];
		this.counter = new byte[SERVERS];
		this.shares = new byte[tenures * SERVERS];
		this.least = new byte[tenures];
		this.tokens = new byte[tenures];
		this.bases = new byte[tenures];
		this.ended = new byte[SERVERS];
		this.awaited = new byte[SERVERS];
		this.forgetful = new byte[SERVERS];
	}

	private QuorumModel(QuorumModel other) {
		this.bounds = other.bounds;
		this.variant = other.variant;
		this.status = other.status.clone();
		this.proposed = other.proposed.clone();
		this.counted = other.counted.clone();
		this.round = other.round.clone();
		this.holders = other.holders.clone();
		this.counter = other.counter.clone();
		this.shares = other.shares.clone();
		this.least = other.least.clone();
		this.tokens = other.tokens.clone();
		this.bases = other.bases.clone();
		this.held = other.held;
		this.ended = other.ended.clone();
		this.awaited = other.awaited.clone();
		this.forgetful = other.forgetful.clone();
		this.crashes = other.crashes;
		this.lastToken = other.lastToken;
		this.highest = other.highest;
	}

	/** What is wrong in this state; empty if nothing is. */
	String fault() {
		return this.fault;
	}

	/**
	 * Tells this state from all others, but for those in which servers have changed
	 * places, and for a chance of one in 2^64.
	 */
	long fingerprint() {
		long[] servers = new long[SERVERS];
		for (int server = 0; server < SERVERS; server++) {
			long hash = mix(this.holders[server], this.counter[server], this.ended[server], this.awaited[server],
					this.forgetful[server]);
			for (int place = server; place < this.counted.length; place += SERVERS) {
				hash = mix(hash, this.counted[place], this.shares[place]);
			}
			servers[server] = hash;
		}
		Arrays.sort(servers);
		long hash = mix(servers);
		hash = mix(hash, this.crashes, this.lastToken, this.highest, this.held);
		for (int tenure = 0; tenure < this.status.length; tenure++) {
			hash = mix(hash, this.status[tenure], this.round[tenure], this.least[tenure], this.tokens[tenure],
					this.bases[tenure]);
		}
		for (byte base : this.proposed) {
			hash = mix(hash, base);
		}
		return hash;
	}

	private static long mix(long... values) {
		long hash = 0;
		for (long value : values) {
			hash = (hash + value + 1) * 0x9E3779B97F4A7C15L;
			hash ^= hash >>> 31;
			hash *= 0xBF58476D1CE4E5B9L;
			hash ^= hash >>> 29;
		}
		return hash;
	}

	/** Show every state that may follow. */
	void forEachNext(Consumer<QuorumModel> action) {
		for (int tenure = 0; tenure < this.status.length; tenure++) {
			clientSteps(tenure, action);
		}
		for (int server = 0; server < SERVERS; server++) {
			serverSteps(server, action);
		}
	}

	private void clientSteps(int tenure, Consumer<QuorumModel> action) {
		int before = tenure - this.bounds.clients();
		if (this.status[tenure] == NONE && (before < 0 || this.status[before] == OVER)) {
			action.accept(copy((next) -> next.begin(tenure)));
		}
		if (this.status[tenure] == HOLDING && isAwaited(tenure) && isConfirmed(tenure)) {
			action.accept(copy((next) -> next.renew(tenure)));
		}
		if (this.status[tenure] == ASKING || this.status[tenure] == HOLDING) {
			// It gives up, releases, or its lease is over.
			action.accept(copy((next) -> next.end(tenure)));
		}
	}

	private void serverSteps(int server, Consumer<QuorumModel> action) {
		for (int tenure = 0; tenure < this.status.length; tenure++) {
			int current = tenure;
			for (int asked = 0; asked < this.round[tenure]; asked++) {
				int inRound = asked;
				action.accept(copy((next) -> next.vote(server, current, inRound)));
				if (isCounted(server, tenure, asked)) {
					action.accept(copy((next) -> next.count(server, current, next.vote(server, current, inRound))));
				}
			}
			if (this.status[tenure] == OVER) {
				action.accept(copy((next) -> next.release(server, current)));
				if (has(server, tenure)) {
					action.accept(copy((next) -> next.drop(server, current)));
				}
			}
		}
		for (int tenure = 0; tenure < this.status.length; tenure++) {
			int current = tenure;
			if (this.status[tenure] != NONE && canPutBack(server, tenure)) {
				action.accept(copy((next) -> next.putBack(server, current)));
			}
		}
		if (this.crashes < this.bounds.crashes()) {
			action.accept(copy((next) -> next.crash(server)));
		}
		if (this.forgetful[server] != 0 && !waits(server)) {
			action.accept(copy((next) -> next.join(server)));
		}
	}

	private QuorumModel copy(Consumer<QuorumModel> change) {
		QuorumModel next = new QuorumModel(this);
		change.accept(next);
		return next;
	}

	private boolean reads(int tenure) {
		return tenure < this.bounds.readers();
	}

	private boolean has(int server, int tenure) {
		return (this.holders[server] & (1 << tenure)) != 0;
	}

	private void drop(int server, int tenure) {
		this.holders[server] &= (byte) ~(1 << tenure);
		this.shares[tenure * SERVERS + server] = 0;
	}

	private void begin(int tenure) {
		if (reads(tenure)) {
			this.least[tenure] = this.lastToken;
		}
		propose(tenure, (byte) 1);
	}

	private void propose(int tenure, byte base) {
		this.status[tenure] = ASKING;
		this.proposed[tenure * this.bounds.rounds() + this.round[tenure]++] = base;
		Arrays.fill(this.counted, tenure * SERVERS, (tenure + 1) * SERVERS, NONE);
	}

	private void end(int tenure) {
		this.status[tenure] = OVER;
		Arrays.fill(this.counted, tenure * SERVERS, (tenure + 1) * SERVERS, NONE);
	}

	/** Whether the answer to a request, if it arrives, is counted. */
	private boolean isCounted(int server, int tenure, int inRound) {
		return this.status[tenure] == ASKING && inRound == this.round[tenure] - 1
				&& this.counted[tenure * SERVERS + server] == NONE;
	}

	/** What the script does. */
	private byte vote(int server, int tenure, int inRound) {
		byte base = this.proposed[tenure * this.bounds.rounds() + inRound];
		if (this.forgetful[server] != 0) {
			return REFUSED;
		}
		if (has(server, tenure)) {
			return voteAgain(server, tenure, base, inRound > 0 && this.variant != Variant.MIXED_BASES);
		}
		if (this.holders[server] != NONE && !(reads(tenure) && isRead(server))) {
			return REFUSED;
		}
		if ((this.ended[server] & (1 << tenure)) != 0) {
			return ENDED;
		}
		if (this.variant.ownCounters()) {
			base = (byte) (this.counter[server] + 1);
		}
		else if (base <= this.counter[server]) {
			return (byte) (TOO_LOW + this.counter[server] + 1);
		}
		this.holders[server] |= (byte) (1 << tenure);
		this.counter[server] = base;
		return share(server, tenure, base);
	}

	private byte voteAgain(int server, int tenure, byte base, boolean raise) {
		byte own = reads(tenure) ? this.shares[tenure * SERVERS + server] : this.counter[server];
		if (!raise || base <= own) {
			return own;
		}
		if (own != this.counter[server] && base <= this.counter[server] && this.variant != Variant.RAISED_UNCHECKED) {
			return (byte) (TOO_LOW + this.counter[server] + 1);
		}
		this.counter[server] = (byte) Math.max(this.counter[server], base);
		return share(server, tenure, base);
	}

	private boolean isRead(int server) {
		return this.holders[server] < 1 << this.bounds.readers();
	}

	private byte share(int server, int tenure, byte base) {
		if (reads(tenure)) {
			this.shares[tenure * SERVERS + server] = base;
		}
		this.highest = (byte) Math.max(this.highest, base);
		return base;
	}

	private void release(int server, int tenure) {
		this.ended[server] |= (byte) (1 << tenure);
		drop(server, tenure);
		if (this.variant == Variant.MAXIMUM_IS_WRITTEN_BACK) {
			// The write may be as late as this.
			this.counter[server] = (byte) Math.max(this.counter[server], this.proposed[tenure * this.bounds.rounds()]);
		}
	}

	/** Whether a server that has lost its memory waits for the tenure. */
	private boolean isAwaited(int tenure) {
		for (byte each : this.awaited) {
			if ((each & (1 << tenure)) != 0) {
				return true;
			}
		}
		return false;
	}

	private boolean isConfirmed(int tenure) {
		int confirm = 0;
		for (int server = 0; server < SERVERS; server++) {
			boolean forgotten = this.variant == Variant.FORGETFUL_CONFIRM && this.forgetful[server] != 0;
			if (has(server, tenure) || forgotten) {
				confirm++;
			}
		}
		return confirm > SERVERS / 2;
	}

	/**
	 * From now on its client relies on nobody but those who have it. A server that has
	 * forgotten it need not wait for its end, since the lease that it had there is over
	 * before the new one is.
	 */
	private void renew(int tenure) {
		for (int server = 0; server < SERVERS; server++) {
			this.awaited[server] &= (byte) ~(1 << tenure);
		}
	}

	/**
	 * Whether a renewal that a majority has confirmed may put a tenure back on a server.
	 * One that is over may have sent it before.
	 */
	private boolean canPutBack(int server, int tenure) {
		boolean wasHeld = (this.held & (1 << tenure)) != 0;
		boolean isFree = this.holders[server] == NONE || (reads(tenure) && isRead(server));
		return wasHeld && isFree && !has(server, tenure) && this.forgetful[server] == 0
				&& (this.ended[server] & (1 << tenure)) == 0;
	}

	private void putBack(int server, int tenure) {
		this.holders[server] |= (byte) (1 << tenure);
		this.counter[server] = (byte) Math.max(this.counter[server], this.bases[tenure]);
		if (reads(tenure)) {
			this.shares[tenure * SERVERS + server] = this.bases[tenure];
		}
	}

	private void crash(int server) {
		this.crashes++;
		for (int tenure = 0; tenure < this.status.length; tenure++) {
			drop(server, tenure);
		}
		boolean clock = this.variant != Variant.NO_MARKER && this.variant != Variant.NO_CLOCK;
		this.counter[server] = clock ? this.highest : 0;
		this.ended[server] = 0;
		if (this.variant != Variant.NO_MARKER) {
			this.forgetful[server] = 1;
			this.awaited[server] = 0;
			for (int tenure = 0; tenure < this.status.length; tenure++) {
				if (this.status[tenure] == ASKING || this.status[tenure] == HOLDING) {
					this.awaited[server] |= (byte) (1 << tenure);
				}
			}
		}
	}

	private boolean waits(int server) {
		for (int tenure = 0; tenure < this.status.length; tenure++) {
			if ((this.awaited[server] & (1 << tenure)) != 0 && this.status[tenure] != OVER) {
				return true;
			}
		}
		return false;
	}

	private void join(int server) {
		this.forgetful[server] = 0;
		this.awaited[server] = 0;
	}

	private void count(int voter, int tenure, byte counts) {
		this.counted[tenure * SERVERS + voter] = counts;
		Ballot ballot = new Ballot(SERVERS, new BitSet());
		Decision decision = Decision.OPEN;
		byte most = 0;
		byte least = 0;
		int grants = 0;
		for (int server = 0; server < SERVERS; server++) {
			byte vote = this.counted[tenure * SERVERS + server];
			if (vote == NONE) {
				continue;
			}
			decision = ballot.count(server, meaning(vote));
			if (vote < TOO_LOW) {
				grants++;
				most = (byte) Math.max(most, vote);
			}
			else if (vote < REFUSED) {
				least = (byte) Math.max(least, vote - TOO_LOW);
			}
		}
		if (this.variant.countsGrantsOnly() && grants > SERVERS / 2) {
			hold(tenure, most);
		}
		else if (decision == Decision.ELECTED) {
			hold(tenure, (byte) ballot.elected().base());
		}
		else if (decision == Decision.PROPOSE_AGAIN && this.round[tenure] < this.bounds.rounds()) {
			propose(tenure, (byte) Math.max(most, least));
		}
		else if (decision != Decision.OPEN) {
			end(tenure);
		}
	}

	private static Vote meaning(byte vote) {
		if (vote < TOO_LOW) {
			return new Vote.Granted(vote, false);
		}
		if (vote < REFUSED) {
			return new Vote.TooLow(vote - TOO_LOW);
		}
		return (vote == ENDED) ? new Vote.Ended() : new Vote.Abstained(Duration.ZERO);
	}

	private void hold(int tenure, byte token) {
		byte before = reads(tenure) ? this.least[tenure] : this.lastToken;
		boolean alone = true;
		for (int other = 0; other < this.status.length; other++) {
			boolean both = reads(tenure) && reads(other);
			if (!both || this.tokens[other] == token) {
				before = (byte) Math.max(before, this.tokens[other]);
			}
			alone &= both || this.status[other] != HOLDING;
		}
		if (!alone) {
			this.fault = "two live holders";
		}
		else if (token <= before) {
			this.fault = "token %d after token %d".formatted(token, before);
		}
		this.lastToken = (byte) Math.max(this.lastToken, token);
		this.tokens[tenure] = (this.bounds.readers() > 0) ? token : 0;
		this.status[tenure] = HOLDING;
		if (this.bounds.crashes() > 0) {
			this.held |= (byte) (1 << tenure);
			this.bases[tenure] = token;
		}
		if (this.variant == Variant.MAXIMUM_IS_WRITTEN_BACK) {
			this.proposed[tenure * this.bounds.rounds()] = token;
		}
		Arrays.fill(this.counted, tenure * SERVERS, (tenure + 1) * SERVERS, NONE);
	}

	/**
	 * How far the search goes.
	 *
	 * @param clients how many clients there are
	 * @param tenures how often they ask for the lock, in turn
	 * @param rounds how often each proposes
	 * @param crashes how often a server loses its memory
	 * @param readers how many of the tenures, the first ones, are of readers
	 */
	record Bounds(int clients, int tenures, int rounds, int crashes, int readers) {
	}

	/**
	 * The protocol, or a mistake planted in it.
	 */
	enum Variant {

		/** As it is. */
		CORRECT,
		/**
		 * Each server counts for itself, and the token is the majority's highest count.
		 */
		MAXIMUM_OF_COUNTERS,
		/** Likewise, and the token is written back to the servers, unchecked. */
		MAXIMUM_IS_WRITTEN_BACK,
		/**
		 * Servers that have granted different bases make a majority, and the highest is
		 * the token.
		 */
		MIXED_BASES,
		/**
		 * A reader gets the base that it proposes again where others have got the same
		 * meanwhile.
		 */
		RAISED_UNCHECKED,
		/** A server that has lost its memory votes at once. */
		NO_MARKER,
		/** A renewal counts servers that have forgotten the tenure. */
		FORGETFUL_CONFIRM,
		/** A server that has lost its memory accepts any base when it votes again. */
		NO_CLOCK;

		boolean ownCounters() {
			return this == MAXIMUM_OF_COUNTERS || this == MAXIMUM_IS_WRITTEN_BACK;
		}

		boolean countsGrantsOnly() {
			return ownCounters() || this == MIXED_BASES;
		}

	}

}
