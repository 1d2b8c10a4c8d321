package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;

/**
 * What the parts of one {@link LockMachine} have decided in one step, in order.
 */
final class Effects {

	private List<Effect> all = List.of();

	void add(Effect effect) {
		if (this.all.isEmpty()) {
			this.all = new ArrayList<>(4);
		}
		this.all.add(effect);
	}

	/** Return what is to be done, and forget it. */
	List<Effect> take() {
		List<Effect> taken = this.all;
		this.all = List.of();
		return taken;
	}

}
