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
 * Takes a lock away from those who have it. Each is ousted by the id of its tenure, so
 * that a command that arrives late or twice can harm nobody who comes after.
 */
final class ForcedRelease {

	private static final LockLog logger = LockLog.of(ForcedRelease.class);

	private final Commands commands;

	private final String name;

	private final Runnable verify;

	private final List<Holder> ousted = new ArrayList<>();

	/**
	 * Take a lock away.
	 * @param verify finds out whether this JVM has lost it
	 */
	ForcedRelease(Commands commands, String name, Runnable verify) {
		this.commands = commands;
		this.name = name;
		this.verify = verify;
	}

	/**
	 * Oust all who have the lock now, waiting for the backend.
	 * @return those who were ousted
	 * @throws LockBackendException if a command failed, which tells who was ousted before
	 */
	List<Holder> run() {
		List<LockBackend.CurrentHolder> tenancies = await(this.commands.holders(this.name)).holders();
		try {
			tenancies.forEach(this::oust);
		}
		finally {
			this.verify.run();
		}
		return List.copyOf(this.ousted);
	}

	private void oust(LockBackend.CurrentHolder tenancy) {
		Release command = new Release(this.name, tenancy.tenure(), Release.Intent.FORCE, null);
		Release.Reply reply = await(this.commands.forceRelease(command));
		if (reply.outcome() == Release.Outcome.RELEASED) {
			logger
				.warn("Lock '%s' was released by force; it was %s".formatted(OneLine.of(this.name), tenancy.holder()));
			this.ousted.add(tenancy.holder());
		}
	}

	private <T> T await(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw fromHere(this.commands.explain(this.name, ex));
		}
	}

	/** The failure with the stack trace of the caller, and with what was done before. */
	private LockBackendException fromHere(LockBackendException failure) {
		String before = this.ousted.isEmpty() ? "" : ", after it was taken away from "
				+ this.ousted.stream().map(Holder::label).collect(Collectors.joining(", "));
		return new LockBackendException(failure.lockName(), failure.reason(), failure.detail() + before,
				failure.mayHaveRun() || !this.ousted.isEmpty(), failure);
	}

}
