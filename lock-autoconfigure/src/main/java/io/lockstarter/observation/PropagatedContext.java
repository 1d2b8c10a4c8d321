package io.lockstarter.observation;

import java.util.concurrent.Executor;

import io.lockstarter.core.CallerContext;
import io.micrometer.context.ContextSnapshotFactory;

/**
 * Caller's context that consists of the thread-locals known to Micrometer's context
 * propagation. This class is loaded only if that library is present.
 */
public final class PropagatedContext implements CallerContext {

	private final ContextSnapshotFactory snapshots;

	/**
	 * Creates a context.
	 * @param snapshots the factory of snapshots
	 */
	public PropagatedContext(ContextSnapshotFactory snapshots) {
		this.snapshots = snapshots;
	}

	@Override
	public Executor capture() {
		return this.snapshots.captureAll().wrapExecutor(Runnable::run);
	}

}
