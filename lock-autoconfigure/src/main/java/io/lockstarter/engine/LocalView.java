package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.engine.lock.LockTable;

/**
 * Snapshot of the locks that this JVM holds or waits for.
 */
final class LocalView {

	private final LockTable locks;

	LocalView(LockTable locks) {
		this.locks = locks;
	}

	List<LockMonitor.Held> held() {
		List<LockMonitor.Held> held = new ArrayList<>();
		this.locks.forEach((lock) -> lock.describe(held::add, (waiting) -> {
		}));
		return held;
	}

	List<LockMonitor.Waiting> waiting() {
		List<LockMonitor.Waiting> waiting = new ArrayList<>();
		this.locks.forEach((lock) -> lock.describe((held) -> {
		}, waiting::add));
		return waiting;
	}

	int heldCount() {
		int[] sum = new int[1];
		this.locks.forEach((lock) -> sum[0] += lock.held());
		return sum[0];
	}

	int waitingCount() {
		int[] sum = new int[1];
		this.locks.forEach((lock) -> sum[0] += lock.waiting());
		return sum[0];
	}

}
