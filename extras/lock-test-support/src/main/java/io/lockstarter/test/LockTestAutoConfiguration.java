package io.lockstarter.test;

import java.util.Collection;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.memory.InMemoryLockBackend;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the recorder for {@link LockAssertions}, with any backend, and of
 * {@link InMemoryLocks} if locks are in memory.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
public final class LockTestAutoConfiguration {

	@Bean
	@ConditionalOnBean(DefaultLockRegistry.class)
	LockRecorder lockRecorder() {
		return new LockRecorder();
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(DefaultLockRegistry.class)
	@ConditionalOnSingleCandidate(InMemoryLockBackend.class)
	InMemoryLocks inMemoryLocks(LockRegistry registry, InMemoryLockBackend backend, ListableBeanFactory beans) {
		Collection<InMemoryLockBackend> backends = beans.getBeansOfType(InMemoryLockBackend.class).values();
		Collection<DefaultLockRegistry> registries = beans.getBeansOfType(DefaultLockRegistry.class).values();
		return new InMemoryLocks(registry, backend.store(), new LeaseTime(backends, registries));
	}

}
