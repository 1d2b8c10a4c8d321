package io.lockstarter.dashboard;

import java.util.HashMap;
import java.util.Map;

import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Finds the backends of the registries that an endpoint shows. A registry that the
 * application has made itself may have none that is a bean.
 */
final class RegistryBackends {

	private RegistryBackends() {
	}

	static Map<LockMonitor, LockBackend> of(LocksEndpoint endpoint, ObjectProvider<LockBackend> only,
			BeanFactory beans) {
		Map<LockMonitor, LockBackend> backends = new HashMap<>();
		only.ifUnique((backend) -> {
			boolean one = endpoint.registries().isEmpty();
			backends.put(endpoint.monitor(one ? null : LockRequest.DEFAULT_REGISTRY), backend);
		});
		endpoint.registries()
			.stream()
			.filter((name) -> beans.containsBean(name + "LockBackend"))
			.forEach((name) -> backends.put(endpoint.monitor(name),
					beans.getBean(name + "LockBackend", LockBackend.class)));
		return backends;
	}

}
