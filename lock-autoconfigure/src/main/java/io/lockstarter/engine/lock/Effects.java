package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;

/**
 * Effects that the parts of a {@link LockMachine} have decided on in one step, in order.
 */
final class Effects {

	private List<Effect> all = List.of();

	private List<Effect> last = List.of();

	private List<Effect> postponed = List.of();

	void add(Effect effect) {
		if (this.all.isEmpty()) {
			this.all = new ArrayList<>(4);
		}
		this.all.add(effect);
	}

	/** Adds an effect that runs after all others of this step. */
	void addLast(Effect effect) {
		if (this.last.isEmpty()) {
			this.last = new ArrayList<>(1);
		}
		this.last.add(effect);
	}

	/** Postpones an effect to a later step. */
	void postpone(Effect effect) {
		if (this.postponed.isEmpty()) {
			this.postponed = new ArrayList<>(1);
		}
		this.postponed.add(effect);
	}

	/** Adds the effects that were postponed to this step. */
	void addPostponed() {
		this.postponed.forEach(this::add);
		this.postponed = List.of();
	}

	/** Returns and removes the effects of this step. */
	List<Effect> take() {
		this.last.forEach(this::add);
		this.last = List.of();
		List<Effect> taken = this.all;
		this.all = List.of();
		return taken;
	}

}
