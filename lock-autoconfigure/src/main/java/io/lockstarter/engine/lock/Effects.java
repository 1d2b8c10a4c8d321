package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;

/**
 * What the parts of one {@link LockMachine} have decided in one step, in order.
 */
final class Effects {

	private List<Effect> all = new ArrayList<>(4);

	void add(Effect effect) {
		this.all.add(effect);
	}

	/** Return what is to be done, and forget it. */
	List<Effect> take() {
		if (this.all.isEmpty()) {
			return List.of();
		}
		List<Effect> taken = this.all;
		this.all = new ArrayList<>(4);
		return taken;
	}

}
