package io.lockstarter.autoconfigure;

import java.util.Map;

import io.lockstarter.aop.LockAdvisor;
import io.lockstarter.autoconfigure.DistributedLockProperties.Backend;
import io.lockstarter.autoconfigure.DistributedLockProperties.Mode;
import io.lockstarter.autoconfigure.DistributedLockProperties.Registry;
import io.lockstarter.core.Credentials;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Settings that are needed before {@link DistributedLockProperties} can be a bean. They
 * are bound with the same rules, so that every spelling is accepted and an invalid value
 * is an error. Otherwise a typing error would disable locks.
 */
final class EarlySettings {

	private final Binder binder;

	private EarlySettings(Binder binder) {
		this.binder = binder;
	}

	static EarlySettings of(Environment environment) {
		return new EarlySettings(Binder.get(environment));
	}

	boolean enabled() {
		return isOn("enabled", true);
	}

	Backend backend() {
		return get("backend", Backend.class, Backend.REDIS);
	}

	boolean annotatedMethods() {
		return isOn("aspect.enabled", true);
	}

	Mode mode() {
		return get("aspect.mode", Mode.class, Mode.PROXY);
	}

	int order() {
		return get("aspect.order", Integer.class, LockAdvisor.DEFAULT_ORDER);
	}

	boolean releaseAfterTransaction() {
		return isOn("release-after-transaction", true);
	}

	/** Returns the settings of further registries by name. */
	Map<String, Registry> registries() {
		return this.binder
			.bind("distributed-lock.registries", Bindable.mapOf(String.class, Registry.class),
					DurationPropertyCheck.handler(BindHandler.DEFAULT))
			.orElse(Map.of());
	}

	boolean isOn(String property, boolean otherwise) {
		return get(property, Boolean.class, otherwise);
	}

	/** Describes a property for messages. */
	String describe(String property) {
		String name = "distributed-lock." + property;
		return this.binder.bind(name, String.class)
			.map((value) -> "%s is %s".formatted(name, Credentials.masked(value)))
			.orElse(name + " is not set");
	}

	private <T> T get(String property, Class<T> type, T otherwise) {
		return this.binder.bind("distributed-lock." + property, type).orElse(otherwise);
	}

}
