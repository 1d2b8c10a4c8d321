package io.lockstarter.observation;

import java.util.concurrent.Executor;

import io.lockstarter.core.CallerContext;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

/**
 * Takes along the thread-locals that Micrometer's context propagation knows. Loaded only
 * where that is.
 */
public final class PropagatedContext implements CallerContext {

	private final ContextSnapshotFactory snapshots;

	/**
	 * Take along what a factory captures.
	 * @param snapshots the factory
	 */
	public PropagatedContext(ContextSnapshotFactory snapshots) {
		this.snapshots = snapshots;
	}

	@Override
	public Executor capture() {
		ContextSnapshot snapshot = this.snapshots.captureAll();
		return (task) -> {
			try (ContextSnapshot.Scope scope = snapshot.setThreadLocals()) {
				task.run();
			}
		};
	}

}
