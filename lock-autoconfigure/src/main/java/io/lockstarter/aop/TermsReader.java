package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;

import io.lockstarter.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringValueResolver;

/**
 * Reads the terms of one annotation, refusing those that can never be met.
 */
final class TermsReader {

	/** The shortest that the registry grants. */
	static final Duration SHORTEST_LEASE = Duration.ofMillis(20);

	/** The holder gives a lease up by this before it ends, and by a hundredth of it. */
	private static final Duration MARGIN = Duration.ofMillis(2);

	private final DistributedLock annotation;

	private final Method method;

	private final AnnotationValues values;

	TermsReader(DistributedLock annotation, Method method, StringValueResolver placeholders) {
		this.annotation = annotation;
		this.method = method;
		this.values = new AnnotationValues(method, placeholders);
	}

	LockTerms read() {
		Duration waitTime = this.values.duration("waitTime", this.annotation.waitTime(), Duration.ZERO,
				"use \"0\" to try once without waiting");
		Duration leaseTime = this.values.duration("leaseTime", this.annotation.leaseTime(), SHORTEST_LEASE,
				"leave it away for a lease that is renewed while the method runs");
		return new LockTerms(this.annotation.type(), waitTime, leaseTime, holdAtLeast(leaseTime));
	}

	private Duration holdAtLeast(@Nullable Duration leaseTime) {
		String text = this.annotation.holdAtLeast();
		Duration least = this.values.duration("holdAtLeast", text, Duration.ZERO,
				"leave it away for a lock that is released when the method is done");
		if (least == null) {
			return Duration.ZERO;
		}
		if (leaseTime != null && least.compareTo(usable(leaseTime)) > 0) {
			throw new InvalidLockAnnotationException(this.method, "holdAtLeast",
					"holdAtLeast = \"%s\" is longer than leaseTime = \"%s\" lasts for its holder (%d ms)"
						.formatted(text, this.annotation.leaseTime(), usable(leaseTime).toMillis()),
					"leave leaseTime away for a lease that is renewed, or make it longer", null);
		}
		return least;
	}

	private static Duration usable(Duration lease) {
		return lease.minus(lease.dividedBy(100)).minus(MARGIN);
	}

}
