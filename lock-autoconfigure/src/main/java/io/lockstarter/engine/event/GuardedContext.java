package io.lockstarter.engine.event;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.core.CallerContext;
import io.lockstarter.logging.LockLog;

/**
 * Caller context that tolerates failures of another one: each task runs exactly once, if
 * need be without the context, because a caller waits for it or a lock is released by it.
 */
public final class GuardedContext implements CallerContext {

	private static final LockLog logger = LockLog.of(GuardedContext.class);

	private final CallerContext context;

	public GuardedContext(CallerContext context) {
		this.context = context;
	}

	@Override
	public Executor capture() {
		try {
			Executor captured = this.context.capture();
			return (task) -> run(captured, task);
		}
		catch (Throwable ex) {
			failed(ex);
			return Runnable::run;
		}
	}

	private void run(Executor captured, Runnable task) {
		AtomicBoolean begun = new AtomicBoolean();
		try {
			captured.execute(() -> {
				begun.set(true);
				task.run();
			});
		}
		catch (Throwable ex) {
			failed(ex);
			if (!begun.get()) {
				task.run();
			}
		}
	}

	private void failed(Throwable cause) {
		logger.error("The caller's context of type " + this.context.getClass().getName() + " failed", cause);
	}

}
