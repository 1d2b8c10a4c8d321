package io.lockstarter.autoconfigure;

import io.lockstarter.autoconfigure.DistributedLockProperties.Backend;
import io.lockstarter.autoconfigure.DistributedLockProperties.Mode;

/**
 * What the properties may choose to be set up.
 */
enum LockChoice {

	/** Locks at all. */
	LOCKS,
	/** Locks kept in Redis. */
	REDIS,
	/** Locks kept in this JVM. */
	IN_MEMORY,
	/** Annotated methods locked by the proxies of beans. */
	PROXIES,
	/** Annotated methods woven by AspectJ, locked or not. */
	WEAVING,
	/** A lock registry for Spring Integration. */
	SPRING_INTEGRATION,
	/** A lock provider for ShedLock. */
	SHEDLOCK,
	/** An endpoint that takes locks away. */
	FORCE_RELEASE;

	/** Tell the properties that decide, for people to read. */
	String decidedBy(EarlySettings settings) {
		return switch (this) {
			case LOCKS -> settings.describe("enabled");
			case REDIS, IN_MEMORY -> settings.describe("backend");
			case PROXIES -> settings.describe("aspect.enabled") + ", " + settings.describe("aspect.mode");
			case WEAVING -> settings.describe("aspect.mode");
			case SPRING_INTEGRATION -> settings.describe("adapter.spring-integration");
			case SHEDLOCK -> settings.describe("adapter.shedlock");
			case FORCE_RELEASE -> settings.describe("endpoint.force-release");
		};
	}

	boolean isMade(EarlySettings settings) {
		return switch (this) {
			case LOCKS -> settings.enabled();
			case REDIS -> settings.backend() == Backend.REDIS;
			case IN_MEMORY -> settings.backend() == Backend.IN_MEMORY;
			case PROXIES -> settings.annotatedMethods() && settings.mode() == Mode.PROXY;
			case WEAVING -> settings.mode() == Mode.ASPECTJ;
			case SPRING_INTEGRATION -> settings.isOn("adapter.spring-integration", false);
			case SHEDLOCK -> settings.isOn("adapter.shedlock", false);
			case FORCE_RELEASE -> settings.isOn("endpoint.force-release", false);
		};
	}

}
