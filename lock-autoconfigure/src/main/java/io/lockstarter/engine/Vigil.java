package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Keeps a thread that waits for a reply awake for a short time, before it sleeps.
 * <p>
 * To put a thread to sleep and wake it again takes from some microseconds to more than a
 * hundred, where processors are virtual and fall asleep as well. A reply from a server
 * near by may come sooner than that. To wait awake for about as long as sleeping costs,
 * and asleep after that, wastes little whatever comes; see Karlin, Li, Manasse and
 * Owicki, "Empirical Studies of Competitive Spinning for a Shared-Memory Multiprocessor"
 * (SOSP 1991).
 * <p>
 * Only one thread at a time stays awake, only while nothing is under way but what it
 * waits for, and only where there is another processor: else the processors have other
 * work. It lets those run that would have to wait for its processor, the server or the
 * client library's threads among them. If more than a few replies take longer, as over a
 * network or while the processors are busy with compiling, it is tried but now and then.
 * <p>
 * Safe for use by many threads.
 */
final class Vigil {

	/** What is lost by a reply too late: as much as by so many in time is gained. */
	private static final int LOSS = 4;

	/** High enough to get over the first replies, which find all processors asleep. */
	private static final int HIGHEST_LOSS = 32 * LOSS;

	/** By then replies are in time again, and not by chance. */
	private static final int LOWEST_LOSS = -64;

	private static final int SHORTEST_PAUSE = 16;

	private static final int LONGEST_PAUSE = 1024;

	/**
	 * For how long an answer is looked into that may be another one than hoped for.
	 */
	private static final long HANDLING_NANOS = 20_000;

	private final long longestNanos;

	private final IntSupplier underWay;

	private final LongSupplier nanoTime;

	private final AtomicBoolean kept = new AtomicBoolean();

	/** What replies that were waited for awake have lost, less what they have gained. */
	private int loss;

	/** How many replies to wait for asleep before it is tried again. */
	private int pause;

	private int nextPause = SHORTEST_PAUSE;

	Vigil(Duration longest, IntSupplier underWay) {
		this(longest, underWay, System::nanoTime, Runtime.getRuntime().availableProcessors());
	}

	/**
	 * Keep vigil for the replies to some commands.
	 * @param longest how long to stay awake for one
	 * @param underWay how many commands have not been answered yet
	 */
	Vigil(Duration longest, IntSupplier underWay, LongSupplier nanoTime, int processors) {
		this.longestNanos = (processors > 1) ? longest.toNanos() : 0;
		this.underWay = underWay;
		this.nanoTime = nanoTime;
	}

	/**
	 * Wait for a reply, awake. Returns with it, or when it is better waited for asleep,
	 * which may be at once.
	 * @param arrived whether there is nothing to wait for any more
	 * @param commands how many commands are to be answered until then
	 */
	void keep(BooleanSupplier arrived, int commands) {
		if (this.longestNanos == 0 || arrived.getAsBoolean() || this.underWay.getAsInt() > commands
				|| !this.kept.compareAndSet(false, true)) {
			return;
		}
		try {
			if (this.pause > 0) {
				this.pause--;
			}
			else {
				watch(arrived, commands);
			}
		}
		finally {
			this.kept.set(false);
		}
	}

	@SuppressWarnings("ThreadPriorityCheck") // Only speed depends on it
	private void watch(BooleanSupplier arrived, int commands) {
		long until = this.nanoTime.getAsLong() + this.longestNanos;
		boolean answered = false;
		while (!arrived.getAsBoolean()) {
			int open = this.underWay.getAsInt();
			long now = this.nanoTime.getAsLong();
			if (open == 0 && !answered) {
				answered = true;
				until = now + HANDLING_NANOS;
			}
			if (open > commands) {
				return;
			}
			if (now - until >= 0) {
				if (!answered) {
					tooLate();
				}
				return;
			}
			Thread.yield();
		}
		inTime();
	}

	private void inTime() {
		this.loss = Math.max(LOWEST_LOSS, this.loss - 1);
		if (this.loss == LOWEST_LOSS) {
			this.nextPause = SHORTEST_PAUSE;
		}
	}

	private void tooLate() {
		this.loss += LOSS;
		if (this.loss >= HIGHEST_LOSS) {
			this.loss = 0;
			this.pause = this.nextPause;
			this.nextPause = Math.min(2 * this.nextPause, LONGEST_PAUSE);
		}
	}

}
