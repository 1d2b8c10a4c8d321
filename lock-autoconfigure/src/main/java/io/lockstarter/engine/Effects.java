package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * What is to be done after a monitor was left: sending commands, completing futures,
 * telling listeners. Nothing of this may happen under the monitor, because it may call
 * back.
 */
final class Effects {

	private final List<Runnable> actions = new ArrayList<>(2);

	void add(Runnable action) {
		this.actions.add(action);
	}

	void run() {
		for (Runnable action : this.actions) {
			action.run();
		}
	}

}
