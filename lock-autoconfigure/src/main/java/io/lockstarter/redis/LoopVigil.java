package io.lockstarter.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.netty.util.internal.ThreadExecutorMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Keeps a thread of the client library awake that has brought a reply: for the command
 * that may follow at once, and for the reply to that.
 * <p>
 * An event loop sleeps between a command and its reply, and again until the next command.
 * Where processors are virtual and fall asleep as well, each of its wake-ups takes longer
 * than the server needs for a command. While it is kept awake it does its work as ever,
 * looking for what there is to do instead of waiting for it, and between two looks it
 * lets those run that would have to wait for its processor. A vigil in vain is paid for
 * by not trying again for ever more replies, until one has been of use.
 * <p>
 * Safe for use by many threads.
 */
final class LoopVigil {

	private static final Log logger = LogFactory.getLog(LoopVigil.class);

	/** The next command follows within this part of the time for a reply, or not soon. */
	private static final int PART_FOR_COMMAND = 4;

	private static final int LONGEST_PAUSE = 1023;

	private final long replyNanos;

	private final Supplier<? extends @Nullable ScheduledExecutorService> currentLoop;

	private final LongSupplier nanoTime;

	private final AtomicInteger underWay = new AtomicInteger();

	private final Map<ScheduledExecutorService, Watch> watches = new ConcurrentHashMap<>();

	/**
	 * Keep vigil, where there is more than one processor.
	 * @param longest how long to stay awake for a reply; zero for not at all
	 */
	LoopVigil(Duration longest) {
		this(canKnowLoops() && Runtime.getRuntime().availableProcessors() > 1 ? longest : Duration.ZERO,
				LoopVigil::currentLoop, System::nanoTime);
	}

	/**
	 * Keep vigil.
	 * @param currentLoop the event loop that the current thread belongs to, if any
	 */
	LoopVigil(Duration longest, Supplier<? extends @Nullable ScheduledExecutorService> currentLoop,
			LongSupplier nanoTime) {
		this.replyNanos = longest.toNanos();
		this.currentLoop = currentLoop;
		this.nanoTime = nanoTime;
	}

	/** Netty calls it internal, and may take it away. */
	private static boolean canKnowLoops() {
		return ClassUtils.isPresent("io.netty.util.internal.ThreadExecutorMap", LoopVigil.class.getClassLoader());
	}

	/**
	 * By a method of its own, so that what may be absent is looked up only when called.
	 */
	private static @Nullable ScheduledExecutorService currentLoop() {
		return ThreadExecutorMap.currentExecutor();
	}

	/** Take notice of a command that was sent. */
	void sent(CompletableFuture<?> reply) {
		if (this.replyNanos > 0 && !reply.isDone()) {
			this.underWay.incrementAndGet();
			reply.whenComplete((value, failure) -> answered());
		}
	}

	private void answered() {
		this.underWay.decrementAndGet();
		ScheduledExecutorService loop = this.currentLoop.get();
		if (loop != null) {
			this.watches.computeIfAbsent(loop, Watch::new).answered();
		}
	}

	/**
	 * The vigil of one event loop. Used by its thread only.
	 */
	private final class Watch implements Runnable {

		private final ScheduledExecutorService loop;

		/** What keeps the loop from going to sleep. */
		private @Nullable Future<?> task;

		private long since;

		private boolean looked;

		/** How many replies to let pass before it is tried again. */
		private int pause;

		private int nextPause;

		Watch(ScheduledExecutorService loop) {
			this.loop = loop;
		}

		void answered() {
			this.since = LoopVigil.this.nanoTime.getAsLong();
			if (this.task == null) {
				begin();
			}
			else if (this.looked) {
				// Otherwise this reply came together with the one before.
				this.nextPause = 0;
			}
			this.looked = false;
		}

		private void begin() {
			if (this.pause > 0) {
				this.pause--;
				return;
			}
			try {
				this.task = this.loop.scheduleWithFixedDelay(this, 0, 1, TimeUnit.NANOSECONDS);
			}
			catch (RejectedExecutionException ex) {
				logger.debug("The client library's threads end", ex);
			}
		}

		@Override
		@SuppressWarnings("ThreadPriorityCheck") // Only speed depends on it
		public void run() {
			this.looked = true;
			long longest = LoopVigil.this.replyNanos;
			if (LoopVigil.this.underWay.get() == 0) {
				longest /= PART_FOR_COMMAND;
			}
			if (LoopVigil.this.nanoTime.getAsLong() - this.since < longest) {
				Thread.yield();
			}
			else {
				end();
			}
		}

		private void end() {
			if (this.task != null) {
				this.task.cancel(false);
				this.task = null;
			}
			this.nextPause = Math.min(2 * this.nextPause + 1, LONGEST_PAUSE);
			this.pause = this.nextPause;
		}

	}

}
