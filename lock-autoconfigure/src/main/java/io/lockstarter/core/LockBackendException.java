package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * The backend failed, refused the command, or did not answer in time. {@code reason()}
 * tells which. The command may have run all the same: a request whose outcome is unknown
 * is withdrawn, and what it took ends with its lease at the latest.
 */
public class LockBackendException extends LockException {

	/** Stands for the name where the failure is not about a certain lock. */
	public static final String NO_LOCK = "";

	private static final long serialVersionUID = 1L;

	private final Reason reason;

	private final String detail;

	private final boolean runBefore;

	/**
	 * Report a failure of the backend.
	 * @param lockName the lock's name, or {@link #NO_LOCK}
	 * @param reason what kind of failure
	 * @param detail where the backend is, what it said and what to do, for people to read
	 * @param cause the underlying failure, if any; in the place of another exception of
	 * this class whose detail is repeated stands the cause of that one
	 */
	public LockBackendException(String lockName, Reason reason, String detail, @Nullable Throwable cause) {
		this(lockName, reason, detail, false, cause);
	}

	/**
	 * Report a failure of the backend.
	 * @param lockName the lock's name, or {@link #NO_LOCK}
	 * @param reason what kind of failure
	 * @param detail where the backend is, what it said and what to do, for people to read
	 * @param runBefore whether the request may have been carried out, whatever the reason
	 * of its failure
	 * @param cause the underlying failure, if any
	 */
	public LockBackendException(String lockName, Reason reason, String detail, boolean runBefore,
			@Nullable Throwable cause) {
		super(lockName, subject(lockName) + "%s (%s)".formatted(reason.text, detail), origin(detail, cause));
		this.reason = reason;
		this.detail = detail;
		this.runBefore = runBefore;
	}

	/** Skips a cause that says no more than this exception does. */
	private static @Nullable Throwable origin(String detail, @Nullable Throwable cause) {
		return (cause instanceof LockBackendException same && detail.contains(same.detail)) ? same.getCause() : cause;
	}

	private static String subject(String lockName) {
		return lockName.equals(NO_LOCK) ? "" : "Lock '" + lockName + "': ";
	}

	/**
	 * Return what kind of failure it was.
	 * @return the reason
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * Return where the backend is, what it said, and what to do about it, as far as that
	 * is known.
	 * @return the detail, for people to read
	 */
	public String detail() {
		return this.detail;
	}

	/**
	 * Return whether the request may have been carried out although it failed, or may be
	 * carried out yet. One that was refused may have been when it was sent before, and
	 * its reply was lost.
	 * @return {@code false} if the backend is known to have done nothing
	 */
	public boolean mayHaveRun() {
		return this.runBefore || switch (this.reason) {
			case TIMEOUT, UNREACHABLE, NOT_REPLICATED -> true;
			default -> false;
		};
	}

	/**
	 * What kind of failure a backend has.
	 */
	public enum Reason {

		/** No connection. */
		UNREACHABLE("no connection to the lock backend"),
		/** No reply within the command timeout. */
		TIMEOUT("the lock backend did not reply in time; check its load and the network"),
		/** The node is a replica: a failover is going on or the address is wrong. */
		READ_ONLY("the lock backend is a read-only replica; connect to the master"),
		/**
		 * The node is loading its data set, is busy with a long script, or is a replica
		 * that has lost its master.
		 */
		LOADING("the lock backend is not ready"),
		/** The cluster does not serve the lock's slot. */
		CLUSTER_DOWN("the lock backend does not serve this lock's slot of the cluster"),
		/** The node is full and refuses writes. */
		OUT_OF_MEMORY("the lock backend is out of memory and refuses writes"),
		/**
		 * The node refuses all writes: it has too few replicas, or cannot write to its
		 * disk.
		 */
		WRITES_REFUSED("the lock backend refuses writes; check its replicas and its disk"),
		/** Authentication or permissions are missing. */
		NOT_AUTHORIZED("the lock backend refuses the user"),
		/** Something else occupies the key of the lock; it was left as it is. */
		FOREIGN_KEY("the lock's key holds something that is not a lock, and was left untouched;"
				+ " remove it or change distributed-lock.key-prefix"),
		/** The clocks of several servers are too far apart. */
		CLOCKS_APART("the clocks of the lock backend's servers are too far apart; synchronize them"),
		/** What was asked for cannot be had from this backend. */
		NOT_SUPPORTED("the lock backend cannot do this"),
		/** Too few replicas acknowledged the lock in time; it was given up. */
		NOT_REPLICATED("the lock did not reach enough replicas and was given up; check the replicas or lower"
				+ " distributed-lock.replication.min-replicas"),
		/** This JVM has no thread left that the lock could be handed to, or no memory. */
		JVM_EXHAUSTED("this JVM has no more threads or memory, so the lock was given up; raise its limit of threads"
				+ " (pids) or its memory, or use fewer of them"),
		/** Any other failure. */
		OTHER("the lock backend failed");

		private final String text;

		Reason(String text) {
			this.text = text;
		}

	}

}
