package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.logging.LockLog;

/**
 * Forced release of all holders of one lock. Each holder is released by the id of its
 * tenure, so that a late or repeated command cannot affect a later holder.
 */
final class ForcedRelease {

	private static final LockLog logger = LockLog.of(ForcedRelease.class);

	private final Commands commands;

	private final String name;

	private final Runnable verify;

	private final List<Holder> released = new ArrayList<>();

	/**
	 * Creates the forced release of a lock.
	 * @param verify checks whether this JVM has lost the lock
	 */
	ForcedRelease(Commands commands, String name, Runnable verify) {
		this.commands = commands;
		this.name = name;
		this.verify = verify;
	}

	/**
	 * Releases the current holders, and blocks until the backend has replied.
	 * @return the holders that were released
	 * @throws LockBackendException if a command failed; its message names the holders
	 * that were released before
	 */
	List<Holder> run() {
		List<LockBackend.CurrentHolder> holders = await(this.commands.holders(this.name)).holders();
		try {
			holders.forEach(this::release);
		}
		finally {
			this.verify.run();
		}
		return List.copyOf(this.released);
	}

	private void release(LockBackend.CurrentHolder holder) {
		Release command = new Release(this.name, holder.tenure(), Release.Intent.FORCE, null);
		Release.Reply reply = await(this.commands.forceRelease(command));
		if (reply.outcome() == Release.Outcome.RELEASED) {
			logger.warn("Lock '%s' was force-released; it was %s".formatted(OneLine.of(this.name), holder.holder()));
			this.released.add(holder.holder());
		}
	}

	private <T> T await(CompletableFuture<T> reply) {
		try {
			return reply.join();
		}
		catch (CompletionException ex) {
			throw fromHere(this.commands.explain(this.name, ex));
		}
	}

	/**
	 * Returns the failure with the stack trace of the caller and the holders that were
	 * released before.
	 */
	private LockBackendException fromHere(LockBackendException failure) {
		String before = this.released.isEmpty() ? "" : ", after the lock was force-released from "
				+ this.released.stream().map(Holder::label).collect(Collectors.joining(", "));
		return new LockBackendException(failure.lockName(), failure.reason(), failure.detail() + before,
				failure.mayHaveRun() || !this.released.isEmpty(), failure);
	}

}
