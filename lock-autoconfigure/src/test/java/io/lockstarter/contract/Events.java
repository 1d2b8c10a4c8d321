package io.lockstarter.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;

/**
 * Remembers what it is told.
 */
public final class Events implements LockListener {

	public final List<String> acquired = new CopyOnWriteArrayList<>();

	public final List<Outcome> notAcquired = new CopyOnWriteArrayList<>();

	public final List<String> handedOver = new CopyOnWriteArrayList<>();

	public final List<String> released = new CopyOnWriteArrayList<>();

	public final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	public final AtomicInteger renewals = new AtomicInteger();

	@Override
	public void acquired(LockHandle lock, Duration waited) {
		this.acquired.add(lock.name());
	}

	@Override
	public void handedOver(LockHandle lock) {
		this.handedOver.add(lock.name());
	}

	@Override
	public void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
		this.notAcquired.add(outcome);
	}

	@Override
	public void released(LockHandle lock, Duration held) {
		this.released.add(lock.name());
	}

	@Override
	public void renewed(LockHandle lock) {
		this.renewals.incrementAndGet();
	}

	@Override
	public void lost(LockLoss loss) {
		this.losses.add(loss);
	}

}
