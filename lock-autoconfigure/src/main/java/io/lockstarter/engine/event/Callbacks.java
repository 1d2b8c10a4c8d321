package io.lockstarter.engine.event;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.lockstarter.core.LockThreads;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Runs what belongs to users, who may block: never on the timer's thread, nor on one that
 * brings replies.
 * <p>
 * Each callback gets a virtual thread where there are any, else one of a bounded number.
 * One thread stays once it is there, so that callbacks are only late when the machine has
 * no thread left.
 */
public final class Callbacks implements AutoCloseable {

	private static final LockLog logger = LockLog.of(Callbacks.class);

	private static final String PREFIX = "lock-callback-";

	private final @Nullable ThreadFactory virtual;

	private final Workers workers;

	public Callbacks(int threads) {
		this(threads, LockThreads.numbered(PREFIX), VirtualThreads.numbered(PREFIX));
	}

	public Callbacks(int threads, ThreadFactory factory, @Nullable ThreadFactory virtual) {
		this.virtual = virtual;
		this.workers = new Workers(factory, threads, 1);
	}

	/**
	 * Run a callback, now or later.
	 * @param refused is told instead why no thread can be had, on any thread
	 */
	public void run(Runnable callback, Consumer<Throwable> refused) {
		ThreadFactory factory = this.virtual;
		if (factory == null) {
			this.workers.execute(callback, refused);
			return;
		}
		this.workers.prepare();
		AtomicBoolean begun = new AtomicBoolean();
		Runnable once = () -> {
			if (begun.compareAndSet(false, true)) {
				callback.run();
			}
		};
		try {
			factory.newThread(once).start();
		}
		catch (Throwable ex) {
			// Its carrier could not be started, although the task may be left to others.
			logger.debug("A callback goes on without a virtual thread", ex);
			this.workers.execute(once, (cause) -> {
				if (begun.compareAndSet(false, true)) {
					refused.accept(cause);
				}
			});
		}
	}

	/** Keep no thread that has nothing to do; callbacks are run all the same. */
	@Override
	public void close() {
		this.workers.close();
	}

}
