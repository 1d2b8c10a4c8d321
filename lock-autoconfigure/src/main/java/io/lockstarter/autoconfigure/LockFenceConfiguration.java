package io.lockstarter.autoconfigure;

import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.fence.Fence;
import io.lockstarter.fence.TransactionFence;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.ConnectionHolder;

/**
 * Configuration of the fence, which is created when fenced work needs it. None of its
 * classes is loaded before, because this class refers to them only inside methods.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ ConnectionHolder.class, EmbeddedDatabaseConnection.class })
class LockFenceConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	LockFence lockFence(ListableBeanFactory beans, DistributedLockProperties properties,
			ObjectProvider<LockListener> listeners, ObjectProvider<LockRegistry> registry) {
		FencedDatabases databases = new FencedDatabases(beans, properties.fence());
		return new TransactionFence(new Fence(properties.fence().table()), databases::prepare,
				properties.fence().retention(), registry::getIfAvailable, listeners.orderedStream().toList());
	}

}
