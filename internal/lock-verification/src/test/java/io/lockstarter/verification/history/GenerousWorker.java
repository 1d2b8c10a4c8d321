package io.lockstarter.verification.history;

import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.verification.history.worker.Worker;

/**
 * Worker with a planted mistake: it acquires one permit more than exist.
 */
public final class GenerousWorker {

	private GenerousWorker() {
	}

	public static void main(String[] arguments) throws InterruptedException {
		Worker.run(arguments,
				(backend) -> TamperedBackend.of(backend, GenerousWorker::withOneMore, (release) -> false));
	}

	private static Acquire withOneMore(Acquire command) {
		return new Acquire(command.name(), command.tenure(), command.type(), command.holder(), command.lease(),
				command.waiting(), command.isPermit() ? command.permits() + 1 : 1);
	}

}
