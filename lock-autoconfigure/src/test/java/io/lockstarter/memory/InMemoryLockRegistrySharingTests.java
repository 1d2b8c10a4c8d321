package io.lockstarter.memory;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.contract.FairSemantics;
import io.lockstarter.contract.SharingChapters;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sharing locks within one JVM keeps the contract.
 */
@Tag("stress")
class InMemoryLockRegistrySharingTests extends InMemoryRegistries implements SharingChapters, FairSemantics {

	/** Only a lease that has run out is a loss, not a release at the same moment. */
	@Test
	void losesNothingWhenAnOwnerAsksForLossesWhileItReleases() {
		Events events = new Events();
		DefaultLockRegistry registry = open(Duration.ofSeconds(30), events);
		LockOwner task = LockOwner.create("task");
		NamedLock asked = registry.get(request().owner(task));
		AtomicBoolean done = new AtomicBoolean();
		Actor asking = new Actor();
		Actor other = new Actor();
		try {
			Future<?> losses = asking.begin(() -> {
				while (!done.get()) {
					asked.loss();
				}
			});
			Future<?> others = other.begin(() -> cycle(registry.get(request()), done));
			for (int i = 0; i < 4_000 * effort(); i++) {
				asked.lock();
				asked.unlock();
			}
			done.set(true);
			Actor.resultOf(losses);
			Actor.resultOf(others);
		}
		finally {
			done.set(true);
			asking.dismiss();
			other.dismiss();
		}
		assertThat(events.losses).isEmpty();
	}

	private static void cycle(NamedLock lock, AtomicBoolean done) {
		while (!done.get()) {
			lock.lock();
			lock.unlock();
		}
	}

}
