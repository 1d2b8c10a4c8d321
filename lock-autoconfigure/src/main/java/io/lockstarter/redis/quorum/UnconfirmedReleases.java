package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Releases that one server has not confirmed. They are repeated until the server confirms
 * them or their leases expire. An unresponsive server receives one release at a time.
 * <p>
 * Safe for use by multiple threads.
 */
final class UnconfirmedReleases {

	/**
	 * Maximum number of unconfirmed releases. Beyond it, the oldest are left to expire.
	 */
	private static final int MAX_RELEASES = 10_000;

	/** Maximum number of releases that are sent together. */
	private static final int BATCH_SIZE = 256;

	/** Pause between two batches: 250 ms. */
	private static final long PAUSE_MILLIS = 250;

	/** Maximum wait for the reply to a release: 2 s. */
	private static final long TIMEOUT_MILLIS = 2000;

	private final QuorumNode node;

	private final ServerHealth health;

	private final Timer timer;

	/** End of the lease of each release. */
	private final Map<Release, Long> unconfirmed = new LinkedHashMap<>();

	private boolean working;

	private boolean closed;

	UnconfirmedReleases(QuorumNode node, ServerHealth health, Timer timer) {
		this.node = node;
		this.health = health;
		this.timer = timer;
	}

	synchronized void add(Release release, Duration lease) {
		if (this.closed) {
			return;
		}
		this.unconfirmed.put(release, System.nanoTime() + lease.toNanos());
		if (this.unconfirmed.size() > MAX_RELEASES) {
			this.unconfirmed.remove(this.unconfirmed.keySet().iterator().next());
		}
		ensureWorking();
	}

	/** Schedules the next batch if there are releases and none is scheduled. */
	synchronized void ensureWorking() {
		if (!this.working && !this.unconfirmed.isEmpty()) {
			workLater();
			this.working = true;
		}
	}

	private synchronized void stopWorking() {
		this.working = false;
	}

	/** Leaves the remaining releases to expire. */
	synchronized void close() {
		this.closed = true;
		this.unconfirmed.clear();
	}

	synchronized int size() {
		return this.unconfirmed.size();
	}

	private void workLater() {
		this.timer.in(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS), this::work);
	}

	private void work() {
		boolean sent = false;
		try {
			send(due());
			sent = true;
		}
		finally {
			if (!sent) {
				stopWorking();
			}
		}
	}

	private void send(List<Release> batch) {
		AtomicInteger open = new AtomicInteger(batch.size());
		long sent = System.nanoTime();
		for (Release release : batch) {
			TimedCall.send(TIMEOUT_MILLIS, this.timer, () -> this.node.release(release))
				.whenComplete((reply, failure) -> {
					try {
						replied(release, sent, failure);
					}
					finally {
						if (open.decrementAndGet() == 0) {
							stopWorking();
							ensureWorking();
						}
					}
				});
		}
	}

	private synchronized List<Release> due() {
		long now = System.nanoTime();
		this.unconfirmed.values().removeIf((end) -> end - now <= 0);
		this.working = !this.unconfirmed.isEmpty();
		return new ArrayList<>(this.unconfirmed.keySet()).subList(0,
				Math.min(this.unconfirmed.size(), this.health.isUnresponsive() ? 1 : BATCH_SIZE));
	}

	private void replied(Release release, long sent, @Nullable Throwable failure) {
		this.health.replied(sent, (failure != null) ? RedisErrors.translate(release.name(), failure) : null);
		if (failure == null) {
			synchronized (this) {
				this.unconfirmed.remove(release);
			}
		}
	}

}
