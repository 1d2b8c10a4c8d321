package io.lockstarter.verification.history;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.worker.Worker;

/**
 * Worker with a planted mistake: it does not release its first permit, which has a longer
 * lease than requested.
 */
public final class LeakyWorker {

	private static final Duration LEASE = Duration.ofMinutes(5);

	private LeakyWorker() {
	}

	public static void main(String[] arguments) throws InterruptedException {
		AtomicBoolean dropped = new AtomicBoolean();
		Worker.run(arguments, (backend) -> TamperedBackend.of(backend, LeakyWorker::forLong,
				(release) -> isOfAPermit(release) && !dropped.getAndSet(true)));
	}

	private static Acquire forLong(Acquire command) {
		return new Acquire(command.name(), command.tenure(), command.type(), command.holder(),
				command.isPermit() ? LEASE : command.lease(), command.waiting(), command.permits());
	}

	private static boolean isOfAPermit(Release release) {
		return PermitKeys.isOne(release.name()) && !PermitKeys.isOrExclusive(release.name()) && release.next() == null;
	}

}
