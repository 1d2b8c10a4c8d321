package io.lockstarter.engine.lease;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.timer.Timer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * When leases are renewed.
 */
class LeaseWatchTests {

	private static final Duration LEASE = Duration.ofMillis(1500);

	private static final int LEASES = 100;

	private final Timer timer = new Timer("test-timer", () -> {
	}, () -> {
	});

	@AfterEach
	void stop() {
		this.timer.close();
	}

	@Test
	void spreadsTheRenewalsAfterAnOutage() {
		Queue<Long> third = new ConcurrentLinkedQueue<>();
		Moment now = Moment.now(InstantSource.system());
		List<Watched> all = new ArrayList<>();
		for (int i = 0; i < LEASES; i++) {
			Watched watched = new Watched(this.timer, now, third);
			all.add(watched);
			watched.watch.start();
		}
		await().until(() -> third.size() == LEASES);
		all.forEach((watched) -> watched.lease.end());
		assertThat(third.stream().distinct().count()).as("moments").isGreaterThan(1);
		long first = third.stream().min(Long::compare).orElseThrow();
		long last = third.stream().max(Long::compare).orElseThrow();
		assertThat(Duration.ofNanos(last - first)).as("between a sixth and a third of the lease")
			.isGreaterThan(LEASE.dividedBy(12));
	}

	/** Fails to be renewed first, and is renewed then. */
	private static final class Watched implements Renewable, LeaseWatch.Renewals {

		private final Timer timer;

		private final HeldLease lease;

		private final LeaseWatch watch;

		private final Queue<Long> third;

		private int renewals;

		Watched(Timer timer, Moment now, Queue<Long> third) {
			this.timer = timer;
			this.third = third;
			this.lease = new HeldLease(LEASE, true, Lease.of(now, LEASE));
			this.watch = new LeaseWatch(this, this);
		}

		@Override
		public void due(LeaseWatch due) {
			Moment start = now();
			switch (++this.renewals) {
				case 1 -> this.timer.in(0, () -> due.answered(start, null, new IllegalStateException("An outage")));
				case 2 -> this.timer.in(0, () -> due.answered(start, new RenewalReply(true), null));
				default -> this.third.add(System.nanoTime());
			}
		}

		@Override
		public Timer timer() {
			return this.timer;
		}

		@Override
		public Moment now() {
			return Moment.now(InstantSource.system());
		}

		@Override
		public boolean goOn() {
			return true;
		}

		@Override
		public HeldLease lease() {
			return this.lease;
		}

		@Override
		public LockBackend.Renew renewal() {
			return new LockBackend.Renew("name", new TenureId("client", 1), 1, LEASE);
		}

		@Override
		public void reviewHolds() {
		}

		@Override
		public void lost(LockLoss.Reason reason) {
		}

		@Override
		public void renewed() {
		}

		@Override
		public void renewalFailed(Throwable failure) {
		}

	}

}
