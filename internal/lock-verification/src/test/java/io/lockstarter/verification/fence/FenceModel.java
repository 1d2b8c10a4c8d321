package io.lockstarter.verification.fence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Model of fenced transactions that increment an account in a database with row locks. A
 * transaction whose step needs a row lock waits for the end of the transaction that has
 * it.
 */
final class FenceModel {

	private static final int NOBODY = -1;

	private static final int NEVER = -1;

	private final Variant variant;

	private final Isolation isolation;

	private final int[] tokens;

	/**
	 * Creates a model.
	 * @param tokens the token of each transaction
	 */
	FenceModel(Variant variant, Isolation isolation, int... tokens) {
		this.variant = variant;
		this.isolation = isolation;
		this.tokens = tokens;
	}

	/** Searches all orders of the steps. */
	Search search() {
		Search search = new Search();
		explore(new State(this.tokens.length), new ArrayList<>(), search);
		return search;
	}

	private void explore(State state, List<String> path, Search search) {
		if (!search.seen.add(state.key())) {
			return;
		}
		if (state.lost > 0 && search.loss == null) {
			search.loss = List.copyOf(path);
		}
		boolean waiting = false;
		boolean moved = false;
		for (int tx = 0; tx < this.tokens.length; tx++) {
			if (state.isOver(tx)) {
				continue;
			}
			State next = state.copy();
			String step = String.valueOf(step(state, tx));
			if (apply(next, tx)) {
				moved = true;
				path.add("T" + (tx + 1) + " " + step + (next.refused[tx] ? " refused" : ""));
				explore(next, path, search);
				path.remove(path.size() - 1);
			}
			else {
				waiting = true;
			}
		}
		if (waiting && !moved) {
			search.deadlocks++;
			breakDeadlock(state, path, search);
		}
		if (state.isOver()) {
			search.ends++;
		}
	}

	/**
	 * Rolls back each of the transactions that wait for each other, because the database
	 * may choose any of them.
	 */
	private void breakDeadlock(State state, List<String> path, Search search) {
		for (int tx = 0; tx < this.tokens.length; tx++) {
			if (!state.isOver(tx)) {
				State next = state.copy();
				next.rollBack(tx);
				path.add("T" + (tx + 1) + " chosen among those that wait for each other");
				explore(next, path, search);
				path.remove(path.size() - 1);
			}
		}
	}

	Step step(State state, int tx) {
		return this.variant.steps.get(state.position[tx]);
	}

	/**
	 * Executes the next step of a transaction, or returns {@code false} if it has to
	 * wait.
	 */
	boolean apply(State state, int tx) {
		boolean done = switch (step(state, tx)) {
			case REGISTER -> register(state, tx);
			case BEGIN -> begin(state, tx);
			case READ -> read(state, tx);
			case WRITE -> write(state, tx);
			case VERIFY -> verify(state, tx);
			case COMPARE_TOKEN -> compareToken(state, tx);
			case COMMIT -> commit(state, tx);
		};
		if (done) {
			state.position[tx]++;
		}
		return done;
	}

	/**
	 * Registers a token. A token that is too low is refused even if the row is locked.
	 */
	private boolean register(State state, int tx) {
		boolean higher = this.variant.admitsEqual ? this.tokens[tx] >= state.token : this.tokens[tx] > state.token;
		if (!higher) {
			state.rollBack(tx);
			return true;
		}
		if (state.tokenLocker != NOBODY) {
			return false;
		}
		state.token = this.tokens[tx];
		return true;
	}

	private boolean begin(State state, int tx) {
		state.snapshot[tx] = state.value;
		return true;
	}

	private boolean read(State state, int tx) {
		boolean others = state.writer != NOBODY && state.writer != tx;
		switch (this.isolation) {
			case READ_UNCOMMITTED -> state.read[tx] = (state.writer != NOBODY) ? state.unwritten : state.value;
			case READ_COMMITTED -> state.read[tx] = state.value;
			case SNAPSHOT, SNAPSHOT_OVERWRITTEN -> state.read[tx] = state.snapshot[tx];
			case LOCKING -> {
				if (others) {
					return false;
				}
				state.reads[tx] = true;
				state.read[tx] = state.value;
			}
		}
		return true;
	}

	private boolean write(State state, int tx) {
		if (state.writer != NOBODY || state.isReadByOthers(tx)) {
			return false;
		}
		if (this.isolation == Isolation.SNAPSHOT && state.value != state.snapshot[tx]) {
			state.rollBack(tx);
			return true;
		}
		state.writer = tx;
		state.unwritten = state.read[tx] + 1;
		return true;
	}

	private boolean verify(State state, int tx) {
		if (state.tokenLocker != NOBODY) {
			return false;
		}
		if (state.token == this.tokens[tx]) {
			state.tokenLocker = tx;
		}
		else {
			state.rollBack(tx);
		}
		return true;
	}

	private boolean compareToken(State state, int tx) {
		if (state.token != this.tokens[tx]) {
			state.rollBack(tx);
		}
		return true;
	}

	private boolean commit(State state, int tx) {
		if (state.read[tx] != state.value) {
			state.lost++;
		}
		state.value = state.unwritten;
		state.release(tx);
		state.committed[tx] = true;
		return true;
	}

	/**
	 * Step of a transaction or of its registration.
	 */
	enum Step {

		/** Raises the token of the row in its own transaction. */
		REGISTER,
		/** Begins, with a snapshot if the isolation has one. */
		BEGIN,
		/** Reads the account. */
		READ,
		/** Writes the account, and locks it. */
		WRITE,
		/** Compares the token of the row, and locks it. */
		VERIFY,
		/** Compares the token of the row, and locks nothing. */
		COMPARE_TOKEN,
		/** Commits, and unlocks all rows. */
		COMMIT

	}

	/**
	 * Isolation of transactions.
	 */
	enum Isolation {

		/** Reads uncommitted data of others. */
		READ_UNCOMMITTED,
		/** Reads data that was committed before the statement. */
		READ_COMMITTED,
		/**
		 * Reads data that was committed before the transaction began. A write to a row
		 * that others have written since is rolled back, as in PostgreSQL.
		 */
		SNAPSHOT,
		/**
		 * Reads data that was committed before the transaction began. A write overwrites
		 * later writes of others, as in MariaDB.
		 */
		SNAPSHOT_OVERWRITTEN,
		/** Locks rows that are read. */
		LOCKING

	}

	/**
	 * Protocol, correct or with a mistake.
	 */
	enum Variant {

		/** Correct protocol. */
		CORRECT(false, Step.REGISTER, Step.BEGIN, Step.READ, Step.WRITE, Step.VERIFY, Step.COMMIT),
		/** Correct protocol with writes at the commit, as with JPA. */
		WRITTEN_LATE(false, Step.REGISTER, Step.BEGIN, Step.READ, Step.VERIFY, Step.WRITE, Step.COMMIT),
		/** The transaction of the caller begins before the registration. */
		REGISTERED_INSIDE(false, Step.BEGIN, Step.REGISTER, Step.READ, Step.WRITE, Step.VERIFY, Step.COMMIT),
		/** The transaction uses data that it has read before the registration. */
		READ_BEFORE(false, Step.BEGIN, Step.READ, Step.REGISTER, Step.WRITE, Step.VERIFY, Step.COMMIT),
		/** The transaction is not fenced. */
		UNFENCED(false, Step.BEGIN, Step.READ, Step.WRITE, Step.COMMIT),
		/** The transaction is not verified before the commit. */
		UNVERIFIED(false, Step.REGISTER, Step.BEGIN, Step.READ, Step.WRITE, Step.COMMIT),
		/** The token is compared before the work. */
		VERIFIED_BEFORE(false, Step.REGISTER, Step.BEGIN, Step.COMPARE_TOKEN, Step.READ, Step.WRITE, Step.COMMIT),
		/** The row is not locked until the commit. */
		NOT_LOCKED(false, Step.REGISTER, Step.BEGIN, Step.READ, Step.WRITE, Step.COMPARE_TOKEN, Step.COMMIT),
		/** A token that equals the last one is registered. */
		EQUAL_ADMITTED(true, Step.REGISTER, Step.BEGIN, Step.READ, Step.WRITE, Step.VERIFY, Step.COMMIT);

		private final boolean admitsEqual;

		// Unmodifiable
		@SuppressWarnings("ImmutableEnumChecker")
		private final List<Step> steps;

		Variant(boolean admitsEqual, Step... steps) {
			this.admitsEqual = admitsEqual;
			this.steps = List.of(steps);
		}

	}

	/**
	 * State of the database and of its transactions.
	 */
	static final class State {

		private final int[] position;

		private final boolean[] refused;

		private final boolean[] committed;

		private final int[] snapshot;

		private final int[] read;

		private final boolean[] reads;

		private int value;

		private int unwritten;

		private int writer = NOBODY;

		private int token;

		private int tokenLocker = NOBODY;

		private int lost;

		State(int transactions) {
			this.position = new int[transactions];
			this.refused = new boolean[transactions];
			this.committed = new boolean[transactions];
			this.snapshot = new int[transactions];
			this.read = new int[transactions];
			this.reads = new boolean[transactions];
			Arrays.fill(this.snapshot, NEVER);
			Arrays.fill(this.read, NEVER);
		}

		private State(State other) {
			this.position = other.position.clone();
			this.refused = other.refused.clone();
			this.committed = other.committed.clone();
			this.snapshot = other.snapshot.clone();
			this.read = other.read.clone();
			this.reads = other.reads.clone();
			this.value = other.value;
			this.unwritten = other.unwritten;
			this.writer = other.writer;
			this.token = other.token;
			this.tokenLocker = other.tokenLocker;
			this.lost = other.lost;
		}

		State copy() {
			return new State(this);
		}

		boolean isOver(int tx) {
			return this.refused[tx] || this.committed[tx];
		}

		boolean isOver() {
			for (int tx = 0; tx < this.position.length; tx++) {
				if (!isOver(tx)) {
					return false;
				}
			}
			return true;
		}

		boolean isRefused(int tx) {
			return this.refused[tx];
		}

		boolean isCommitted(int tx) {
			return this.committed[tx];
		}

		private boolean isReadByOthers(int tx) {
			for (int other = 0; other < this.reads.length; other++) {
				if (other != tx && this.reads[other]) {
					return true;
				}
			}
			return false;
		}

		private void rollBack(int tx) {
			release(tx);
			this.refused[tx] = true;
		}

		private void release(int tx) {
			this.reads[tx] = false;
			if (this.writer == tx) {
				this.writer = NOBODY;
			}
			if (this.tokenLocker == tx) {
				this.tokenLocker = NOBODY;
			}
		}

		private String key() {
			return Arrays.toString(this.position) + Arrays.toString(this.refused) + Arrays.toString(this.committed)
					+ Arrays.toString(this.snapshot) + Arrays.toString(this.read) + Arrays.toString(this.reads)
					+ List.of(this.value, this.unwritten, this.writer, this.token, this.tokenLocker, this.lost);
		}

	}

	/**
	 * Result of a search.
	 */
	static final class Search {

		private final Set<String> seen = new HashSet<>();

		private int ends;

		private int deadlocks;

		private @Nullable List<String> loss;

		int states() {
			return this.seen.size();
		}

		/** Returns the number of states in which all transactions have ended. */
		int ends() {
			return this.ends;
		}

		/** Returns the number of states in which all transactions wait for each other. */
		int deadlocks() {
			return this.deadlocks;
		}

		/** Returns the steps to a lost update, empty if none was found. */
		List<String> loss() {
			return (this.loss != null) ? this.loss : List.of();
		}

	}

}
