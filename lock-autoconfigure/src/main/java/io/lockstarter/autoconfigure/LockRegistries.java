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
 * The registries of an application that has several, by their names. A bean only there.
 */
final class LockRegistries {

	static final String BEAN_NAME = "lockRegistries";

	private final BeanFactory beans;

	private final Set<String> names;

	LockRegistries(BeanFactory beans, Environment environment) {
		this.beans = beans;
		this.names = names(beans, environment);
	}

	/** The names of all registries, the default one first; none if there is only one. */
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
	 * Return a registry.
	 * @throws IllegalArgumentException if there is none of that name
	 */
	LockRegistry get(String name) {
		if (!this.names.contains(name)) {
			throw new IllegalArgumentException("There is no lock registry '%s': name one of %s, or define it by "
				.formatted(name, String.join(", ", this.names))
					+ "distributed-lock.registries.%s.connection-factory".formatted(name));
		}
		return name.equals(LockRequest.DEFAULT_REGISTRY) ? this.beans.getBean(LockRegistry.class)
				: this.beans.getBean(beanName(name), LockRegistry.class);
	}

	/**
	 * Return the monitors of all registries, which may not have been made yet.
	 * @param main that of the default one
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
