package io.lockstarter.core;

/**
 * Hears of lost locks and of nothing else, so that as long as there are none it takes up
 * no time. For the rest as {@link LockListener}.
 */
@FunctionalInterface
public interface LockLossListener extends LockListener {

	@Override
	void lost(LockLoss loss);

}
