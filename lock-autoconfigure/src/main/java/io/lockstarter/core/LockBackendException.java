package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the backend failed, refused a command, or did not reply in time;
 * {@code reason()} tells which. The command may have run nevertheless. A request whose
 * outcome is unknown is withdrawn, and a lock that it may have acquired ends with its
 * lease at most.
 */
public class LockBackendException extends LockException {

	/** Empty name, used if the failure does not concern a certain lock. */
	public static final String NO_LOCK = "";

	private static final long serialVersionUID = 1L;

	private final Reason reason;

	private final String detail;

	private final boolean runBefore;

	/**
	 * Creates an exception.
	 * @param lockName the lock's name, or {@link #NO_LOCK}
	 * @param reason the kind of failure
	 * @param detail a readable text: the address of the backend, its message and the
	 * remedy
	 * @param cause the underlying failure, if any; an exception of this class whose
	 * detail is repeated is replaced by its own cause
	 */
	public LockBackendException(String lockName, Reason reason, String detail, @Nullable Throwable cause) {
		this(lockName, reason, detail, false, cause);
	}

	/**
	 * Creates an exception for a command that may have run.
	 * @param lockName the lock's name, or {@link #NO_LOCK}
	 * @param reason the kind of failure
	 * @param detail a readable text: the address of the backend, its message and the
	 * remedy
	 * @param runBefore whether the command may have run, whatever the reason of the
	 * failure
	 * @param cause the underlying failure, if any
	 */
	public LockBackendException(String lockName, Reason reason, String detail, boolean runBefore,
			@Nullable Throwable cause) {
		super(lockName, subject(lockName) + "%s (%s)".formatted(reason.text, detail), origin(detail, cause));
		this.reason = reason;
		this.detail = detail;
		this.runBefore = runBefore;
	}

	/**
	 * Returns the cause, or its own cause if its message adds nothing to this exception.
	 */
	private static @Nullable Throwable origin(String detail, @Nullable Throwable cause) {
		return (cause instanceof LockBackendException same && detail.contains(same.detail)) ? same.getCause() : cause;
	}

	private static String subject(String lockName) {
		return lockName.equals(NO_LOCK) ? "" : "Lock '" + lockName + "': ";
	}

	/**
	 * Returns the kind of failure.
	 * @return the reason
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * Returns the address of the backend, its message and the remedy, as far as they are
	 * known.
	 * @return a readable text
	 */
	public String detail() {
		return this.detail;
	}

	/**
	 * Returns whether the command may have run, or may still run, although it failed.
	 * Even a refused command may have run, if it was sent before and its first reply was
	 * lost.
	 * @return {@code false} if the backend is known to have done nothing
	 */
	public boolean mayHaveRun() {
		return this.runBefore || switch (this.reason) {
			case TIMEOUT, UNREACHABLE, NOT_REPLICATED -> true;
			default -> false;
		};
	}

	/**
	 * Kinds of failure of a backend.
	 */
	public enum Reason {

		/** No connection. */
		UNREACHABLE("no connection to the lock backend"),
		/** No reply within the command timeout. */
		TIMEOUT("the lock backend did not reply in time; check its load and the network"),
		/** The node is a replica: a failover is in progress, or the address is wrong. */
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
		/** The key of the lock holds something else, which was left untouched. */
		FOREIGN_KEY("the lock's key holds something that is not a lock, and was left untouched;"
				+ " remove it or change distributed-lock.key-prefix"),
		/** The clocks of the servers are too far apart. */
		CLOCKS_APART("the clocks of the lock backend's servers are too far apart; synchronize them"),
		/** The backend does not support the request. */
		NOT_SUPPORTED("the lock backend cannot do this"),
		/** Too few replicas acknowledged the lock in time, so the lock was given up. */
		NOT_REPLICATED("the lock did not reach enough replicas and was given up; check the replicas or lower"
				+ " distributed-lock.replication.min-replicas"),
		/** This JVM cannot create a thread for the new holder, or has no memory. */
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
