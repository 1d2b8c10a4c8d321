package io.lockstarter.autoconfigure;

import io.lockstarter.autoconfigure.DistributedLockProperties.Backend;
import io.lockstarter.autoconfigure.DistributedLockProperties.Mode;

/**
 * Feature that the properties enable or disable.
 */
enum LockFeature {

	/** Locks of any kind. */
	LOCKS,
	/** Locks in Redis. */
	REDIS,
	/** Locks in this JVM. */
	IN_MEMORY,
	/** Annotated methods that proxies of beans lock. */
	PROXIES,
	/** Annotated methods that AspectJ has woven, locked or not. */
	WEAVING,
	/** Lock registry for Spring Integration. */
	SPRING_INTEGRATION,
	/** Lock provider for ShedLock. */
	SHEDLOCK,
	/** Endpoint that force-releases locks. */
	FORCE_RELEASE;

	/** Describes the properties that decide on the feature, for messages. */
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

	boolean isEnabled(EarlySettings settings) {
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
