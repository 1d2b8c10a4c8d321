package io.lockstarter.engine.event;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.lockstarter.core.LockThreads;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Execution of users' callbacks, which may block, on neither the timer's thread nor a
 * thread that delivers replies.
 * <p>
 * Each callback runs on a virtual thread where the JVM has them, otherwise on one of a
 * bounded number of threads. One thread is never stopped once it has started, so that
 * callbacks are delayed but not lost when no further thread can be started.
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
	 * Runs a callback, now or later.
	 * @param refused is called instead with the cause, on any thread, if no thread can be
	 * started
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
			// The carrier thread could not be started, but the virtual thread may still
			// run later.
			logger.debug("A virtual thread could not be started; the callback runs on another thread", ex);
			this.workers.execute(once, (cause) -> {
				if (begun.compareAndSet(false, true)) {
					refused.accept(cause);
				}
			});
		}
	}

	/** Stops idle threads. Callbacks are still run afterwards. */
	@Override
	public void close() {
		this.workers.close();
	}

}
