package io.lockstarter.autoconfigure;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.LazyInitTargetSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;

/**
 * Registries by name, in an application that has several. There is no such bean in other
 * applications.
 */
final class LockRegistries {

	static final String BEAN_NAME = "lockRegistries";

	private final BeanFactory beans;

	private final Set<String> names;

	LockRegistries(BeanFactory beans, Environment environment) {
		this.beans = beans;
		this.names = names(beans, environment);
	}

	/**
	 * Returns the names of all registries, the default one first, or an empty set if
	 * there is only one.
	 */
	static Set<String> names(BeanFactory beans, Environment environment) {
		Set<String> names = new LinkedHashSet<>();
		if (beans.containsBean(BEAN_NAME)) {
			names.add(LockRequest.DEFAULT_REGISTRY);
			names.addAll(EarlySettings.of(environment).registries().keySet());
		}
		return names;
	}

	static String beanName(String registry) {
		return registry + "LockRegistry";
	}

	/**
	 * Returns a registry.
	 * @throws IllegalArgumentException if there is none of that name
	 */
	LockRegistry get(String name) {
		if (!this.names.contains(name)) {
			throw new IllegalArgumentException("Lock registry '%s' does not exist: name one of %s, or define it by "
				.formatted(name, String.join(", ", this.names))
					+ "distributed-lock.registries.%s.connection-factory".formatted(name));
		}
		return name.equals(LockRequest.DEFAULT_REGISTRY) ? this.beans.getBean(LockRegistry.class)
				: this.beans.getBean(beanName(name), LockRegistry.class);
	}

	/**
	 * Returns the monitors of all registries, which are resolved lazily.
	 * @param main the monitor of the default registry
	 */
	Map<String, LockMonitor> monitors(LockMonitor main) {
		Map<String, LockMonitor> monitors = new LinkedHashMap<>();
		for (String name : this.names) {
			monitors.put(name, name.equals(LockRequest.DEFAULT_REGISTRY) ? main : lazy(beanName(name)));
		}
		return monitors;
	}

	private LockMonitor lazy(String beanName) {
		LazyInitTargetSource source = new LazyInitTargetSource();
		source.setTargetBeanName(beanName);
		source.setTargetClass(LockMonitor.class);
		source.setBeanFactory(this.beans);
		return ProxyFactory.getProxy(LockMonitor.class, source);
	}

}
