package io.lockstarter.engine;

import java.util.ArrayDeque;
import java.util.Queue;

import io.lockstarter.engine.command.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Entrance of asynchronous requests, which keeps their order until the client id has been
 * generated. The id is generated on a thread that may block, because the caller may be an
 * event loop. Thread-safe.
 */
final class Entrance {

	private final Commands commands;

	private final Completions completions;

	private final Queue<Runnable> waiting = new ArrayDeque<>();

	/** True while a thread admits the waiting requests. */
	private boolean admitting;

	/** True if requests enter on the threads of their callers. */
	private volatile boolean open;

	Entrance(Commands commands, Completions completions) {
		this.commands = commands;
		this.completions = completions;
	}

	/**
	 * Lets a request enter, now or after those that wait for the client id.
	 * @param request enters the request, and never throws
	 */
	void enter(Runnable request) {
		if (this.open || !mustWait(request)) {
			request.run();
		}
		else if (becomeAdmitting()) {
			this.completions.run(this::admit, (refusal) -> admit());
		}
	}

	private synchronized boolean mustWait(Runnable request) {
		this.open |= !this.admitting && this.waiting.isEmpty() && this.commands.isIdentified();
		return !this.open && this.waiting.add(request);
	}

	private synchronized boolean becomeAdmitting() {
		boolean becomes = !this.admitting && !this.waiting.isEmpty();
		this.admitting |= becomes;
		return becomes;
	}

	private void admit() {
		for (Runnable next = next(); next != null; next = next()) {
			next.run();
		}
	}

	private synchronized @Nullable Runnable next() {
		Runnable next = this.waiting.poll();
		if (next == null) {
			this.admitting = false;
			this.open = this.commands.isIdentified();
		}
		return next;
	}

}
