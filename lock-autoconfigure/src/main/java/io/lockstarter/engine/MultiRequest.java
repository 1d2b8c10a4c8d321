package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;

/**
 * Request for several locks that are acquired together: each name once, in the same order
 * in every JVM, within one deadline.
 */
final class MultiRequest {

	/**
	 * Minimum remaining wait time of a request that waits: 1 ns, because zero means to
	 * try once.
	 */
	private static final Duration SHORTEST = Duration.ofNanos(1);

	private final List<LockRequest> requests;

	private final Duration waitTime;

	private final long since = System.nanoTime();

	/**
	 * Creates a joint request, sorted by name.
	 * @param owner the owner of requests that omit it
	 * @param waitTimes returns the wait time of a request
	 */
	MultiRequest(Collection<LockRequest> requests, LockOwner owner, Function<LockRequest, Duration> waitTimes) {
		if (requests.isEmpty()) {
			throw new IllegalArgumentException("No lock is requested: pass at least one request");
		}
		TreeMap<String, LockRequest> byName = new TreeMap<>();
		for (LockRequest request : owned(requests, owner)) {
			byName.merge(request.name(), request, MultiRequest::merge);
		}
		this.requests = List.copyOf(byName.values());
		this.waitTime = requests.stream().map(waitTimes).min(Duration::compareTo).orElseThrow();
	}

	private static Collection<LockRequest> owned(Collection<LockRequest> requests, LockOwner otherwise) {
		List<LockOwner> owners = requests.stream().map(LockRequest::owner).filter(Objects::nonNull).distinct().toList();
		if (owners.size() <= 1) {
			LockOwner common = owners.isEmpty() ? otherwise : owners.get(0);
			return requests.stream().map((request) -> request.owner(common)).toList();
		}
		if (requests.stream().anyMatch((request) -> request.owner() == null)) {
			throw new IllegalArgumentException(
					"Some requests name different owners, %s, and others omit the owner: set it for all requests, or use the same owner for all or omit it"
						.formatted(OneLine.of(owners.toString())));
		}
		return requests;
	}

	private static LockRequest merge(LockRequest first, LockRequest second) {
		if (!Objects.equals(first.owner(), second.owner())) {
			throw new IllegalArgumentException(
					"Lock '%s' is acquired only once, but its requests name two owners, %s and %s".formatted(
							OneLine.of(first.name()), OneLine.of(String.valueOf(first.owner())),
							OneLine.of(String.valueOf(second.owner()))));
		}
		return (strictness(first) <= strictness(second)) ? first : second;
	}

	/**
	 * Returns how many owners may hold the lock at a time, where a smaller number is
	 * stricter.
	 */
	private static int strictness(LockRequest request) {
		return request.type().isShared() ? Integer.MAX_VALUE : request.permits();
	}

	int size() {
		return this.requests.size();
	}

	/** Returns one of the requests, with the remaining wait time. */
	LockRequest next(int index) {
		LockRequest request = this.requests.get(index);
		if (this.waitTime.compareTo(LockRequest.FOREVER) >= 0) {
			return request.waitTime(LockRequest.FOREVER);
		}
		if (this.waitTime.isZero()) {
			return request.waitTime(Duration.ZERO);
		}
		Duration left = this.waitTime.minusNanos(System.nanoTime() - this.since);
		return request.waitTime((left.compareTo(SHORTEST) > 0) ? left : SHORTEST);
	}

	/**
	 * Combines the handles of all locks. A fixed lease begins when all locks are
	 * acquired.
	 * @throws io.lockstarter.core.LockLostException if one of the locks was lost in the
	 * meantime
	 */
	LockHandle joined(List<LockHandle> taken) {
		for (int i = 0; i < taken.size() - 1; i++) {
			Duration lease = this.requests.get(i).leaseTime();
			if (lease != null) {
				taken.get(i).extend(lease);
			}
		}
		return (taken.size() == 1) ? taken.get(0) : new MultiHandle(taken);
	}

}
