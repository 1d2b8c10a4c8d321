package io.lockstarter.autoconfigure;

import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publisher of lost locks and of refused fencing tokens as application events.
 */
final class LockLossPublisher implements LockListener {

	private final ApplicationEventPublisher publisher;

	LockLossPublisher(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void lost(LockLoss loss) {
		this.publisher.publishEvent(loss);
	}

	@Override
	public void fenceRefused(FenceRefusal refusal) {
		this.publisher.publishEvent(refusal);
	}

}
