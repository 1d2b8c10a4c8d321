package io.lockstarter.sample.rendering;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.autoconfigure.DistributedLockProperties;
import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.HolderSnapshot;
import io.lockstarter.sample.PlainWords;
import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.rendering.Rendering.State;

import org.springframework.stereotype.Component;

/**
 * View of all pictures and of the permits in use according to Redis.
 */
@Component
class Gallery {

	private final Renderings renderings;

	private final LockMonitor locks;

	private final SampleProperties sample;

	private final Duration lease;

	Gallery(Renderings renderings, LockMonitor locks, SampleProperties sample, DistributedLockProperties settings) {
		this.renderings = renderings;
		this.locks = locks;
		this.sample = sample;
		this.lease = settings.leaseTime();
	}

	/**
	 * Returns the current view, and marks lost pictures. A picture is lost if an instance
	 * was rendering it during the whole request to Redis but has no permit for it.
	 * @return the view
	 */
	View view() {
		List<Rendering> before = this.renderings.all();
		List<Holder> holders = holders();
		List<Rendering> after = this.renderings.all();
		List<Rendering> throughout = before.stream()
			.filter((rendering) -> after.stream().anyMatch(rendering::isSameWork))
			.toList();
		Set<Rendering> lost = lost(throughout, holders);
		lost.forEach((rendering) -> this.renderings.end(rendering, State.LOST));
		List<Rendering> shown = before.stream()
			.map((rendering) -> lost.contains(rendering) ? rendering.lost() : rendering)
			.toList();
		return new View(this.sample.instance(), this.sample.rendering().permits(), this.lease.toMillis(),
				holders.stream().map(Permit::of).toList(), shown);
	}

	private List<Holder> holders() {
		try {
			return this.locks.inspect(Renderer.LOCK).join().holders().stream().map(HolderSnapshot::holder).toList();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof LockBackendException failure) ? failure : ex;
		}
	}

	private static Set<Rendering> lost(List<Rendering> atWork, List<Holder> holders) {
		Map<String, List<Rendering>> byInstance = atWork.stream()
			.collect(Collectors.groupingBy((rendering) -> Objects.requireNonNull(rendering.instance())));
		return byInstance.entrySet()
			.stream()
			.flatMap((entry) -> lost(entry.getKey(), entry.getValue(), holders))
			.collect(Collectors.toSet());
	}

	/**
	 * Returns as many pictures of an instance as it lacks permits. Redis does not know
	 * which permit belongs to which picture.
	 */
	private static Stream<Rendering> lost(String instance, List<Rendering> atWork, List<Holder> holders) {
		long permits = holders.stream().filter((holder) -> PlainWords.instanceOf(holder).equals(instance)).count();
		return atWork.stream().limit(Math.max(0, atWork.size() - permits));
	}

	/**
	 * Data for the page of the pictures.
	 *
	 * @param instance the instance that responds
	 * @param permits the total number of permits
	 * @param leaseMillis the lease of a permit in milliseconds
	 * @param inUse the permits in use
	 * @param renderings all pictures
	 */
	record View(String instance, int permits, long leaseMillis, List<Permit> inUse, List<Rendering> renderings) {
	}

	/**
	 * Permit in use.
	 *
	 * @param instance the instance that holds the permit
	 * @param heldForMillis the time since the grant in milliseconds
	 * @param remainingLeaseMillis the remaining lease in milliseconds
	 */
	record Permit(String instance, long heldForMillis, long remainingLeaseMillis) {

		private static Permit of(Holder holder) {
			return new Permit(PlainWords.instanceOf(holder), holder.heldFor().toMillis(),
					holder.remainingLease().toMillis());
		}

	}

}
