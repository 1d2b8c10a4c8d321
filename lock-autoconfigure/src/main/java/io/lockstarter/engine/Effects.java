package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done after a monitor was left: sending commands, settling requests,
 * telling listeners. Nothing of this may happen under the monitor, because it may call
 * back. All that happens under it happens at one moment, since reading clocks is what
 * most of the time would go into.
 */
final class Effects {

	private static final Log logger = LogFactory.getLog(Effects.class);

	private @Nullable List<Runnable> actions;

	private @Nullable Moment now;

	/** The moment at which all happens, which is when it is first asked for. */
	Moment now() {
		Moment moment = this.now;
		if (moment == null) {
			moment = Moment.now();
			this.now = moment;
		}
		return moment;
	}

	void add(Runnable action) {
		List<Runnable> all = this.actions;
		if (all == null) {
			all = new ArrayList<>(4);
			this.actions = all;
		}
		all.add(action);
	}

	void run() {
		if (this.actions == null) {
			return;
		}
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
