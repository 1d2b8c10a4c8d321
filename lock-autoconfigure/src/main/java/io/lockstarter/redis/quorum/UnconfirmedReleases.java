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
 * Releases that one server has not confirmed, repeated until it does or their leases are
 * over. A server that is silent is sent one at a time.
 */
final class UnconfirmedReleases {

	/** Beyond that the oldest are left to expire. */
	private static final int MOST = 10_000;

	private static final int BATCH = 256;

	private static final long PAUSE_MILLIS = 250;

	private static final long TIMEOUT_MILLIS = 2000;

	private final QuorumNode node;

	private final ServerHealth health;

	private final Timer timer;

	/** When the lease of each is over. */
	private final Map<Release, Long> owed = new LinkedHashMap<>();

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
		this.owed.put(release, System.nanoTime() + lease.toNanos());
		if (this.owed.size() > MOST) {
			this.owed.remove(this.owed.keySet().iterator().next());
		}
		ensureWorking();
	}

	/** Goes on if there is something to do, and nobody does it. */
	synchronized void ensureWorking() {
		if (!this.working && !this.owed.isEmpty()) {
			workLater();
			this.working = true;
		}
	}

	private synchronized void stopWorking() {
		this.working = false;
	}

	/** Leaves the rest to expire. */
	synchronized void close() {
		this.closed = true;
		this.owed.clear();
	}

	synchronized int size() {
		return this.owed.size();
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
						answered(release, sent, failure);
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
		this.owed.values().removeIf((end) -> end - now <= 0);
		this.working = !this.owed.isEmpty();
		return new ArrayList<>(this.owed.keySet()).subList(0,
				Math.min(this.owed.size(), this.health.isSilent() ? 1 : BATCH));
	}

	private void answered(Release release, long sent, @Nullable Throwable failure) {
		this.health.heard(sent, (failure != null) ? RedisErrors.translate(release.name(), failure) : null);
		if (failure == null) {
			synchronized (this) {
				this.owed.remove(release);
			}
		}
	}

}
