package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.Credentials;
import io.lockstarter.core.Durations;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the request options of one annotation, which rejects options that can never
 * work.
 */
final class LockOptionsReader {

	/**
	 * Constant part of a lease's safety margin: 2 ms. The other part is a hundredth of
	 * the lease.
	 */
	private static final Duration MARGIN = Duration.ofMillis(2);

	private final DistributedLock annotation;

	private final Method method;

	private final Set<String> registries;

	private final AnnotationValues values;

	LockOptionsReader(DistributedLock annotation, Method method, LockEnvironment environment) {
		this.annotation = annotation;
		this.method = method;
		this.registries = environment.registries();
		this.values = new AnnotationValues(method, environment.placeholders());
	}

	LockOptions read() {
		Duration waitTime = this.values.duration("waitTime", this.annotation.waitTime(), Duration.ZERO,
				"use \"0\" to try once without waiting");
		Duration leaseTime = this.values.duration("leaseTime", this.annotation.leaseTime(), Durations.SHORTEST_LEASE,
				"omit it for a lease that is renewed while the method runs");
		return new LockOptions(this.annotation.type(), waitTime, leaseTime, holdAtLeast(leaseTime), registry());
	}

	/** Returns the name of the registry, or {@code null} if there is only one. */
	private @Nullable String registry() {
		String text = this.annotation.registry();
		String name = this.values.resolve("registry", text);
		if (name.isEmpty()) {
			return this.registries.isEmpty() ? null : LockRequest.DEFAULT_REGISTRY;
		}
		if (this.registries.contains(name)) {
			return name;
		}
		throw new InvalidLockAnnotationException(this.method, "registry",
				"registry = \"%s\"%s does not exist; known registries: %s".formatted(text,
						name.equals(text) ? "" : " (resolved to \"%s\")".formatted(Credentials.masked(name)),
						this.registries.isEmpty() ? "only the default one, whose name is omitted"
								: String.join(", ", this.registries)),
				"name one of these, or define it by distributed-lock.registries.%s.connection-factory"
					.formatted(Credentials.masked(name)),
				null);
	}

	private Duration holdAtLeast(@Nullable Duration leaseTime) {
		String text = this.annotation.holdAtLeast();
		Duration least = this.values.duration("holdAtLeast", text, Duration.ZERO,
				"omit it for a lock that is released after the method");
		if (least == null) {
			return Duration.ZERO;
		}
		if (leaseTime != null && least.compareTo(usable(leaseTime)) > 0) {
			throw new InvalidLockAnnotationException(this.method, "holdAtLeast",
					String.format(Locale.ROOT,
							"holdAtLeast = \"%s\" is longer than leaseTime = \"%s\" is valid for its holder (%d ms)",
							text, this.annotation.leaseTime(), usable(leaseTime).toMillis()),
					"omit leaseTime for a lease that is renewed, or make it longer", null);
		}
		return least;
	}

	private static Duration usable(Duration lease) {
		return lease.minus(lease.dividedBy(100)).minus(MARGIN);
	}

}
