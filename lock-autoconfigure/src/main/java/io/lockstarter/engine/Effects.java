package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What is to be done after a monitor was left: sending commands, completing futures,
 * telling listeners. Nothing of this may happen under the monitor, because it may call
 * back.
 */
final class Effects {

	private static final Log logger = LogFactory.getLog(Effects.class);

	private final List<Runnable> actions = new ArrayList<>(2);

	void add(Runnable action) {
		this.actions.add(action);
	}

	void run() {
		for (Runnable action : this.actions) {
			try {
				action.run();
			}
			catch (Throwable ex) {
				// The others must happen all the same: somebody waits for each of them.
				logger.error("A step of a lock failed", ex);
			}
		}
	}

}
