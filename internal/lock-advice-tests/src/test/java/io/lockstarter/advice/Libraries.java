package io.lockstarter.advice;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * All libraries whose order is not up to the user, and what the others need.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableAsync
@EnableScheduling
@EnableMethodSecurity
@EnableResilientMethods
class Libraries {

	@Bean
	Desk desk() {
		return new Desk();
	}

	@Bean
	Requests requests() {
		return new Requests();
	}

	@Bean
	Transactions transactions() {
		return new Transactions();
	}

	@Bean
	ShedLocks shedLocks() {
		return new ShedLocks();
	}

	@Bean
	CacheManager cacheManager() {
		return new ConcurrentMapCacheManager();
	}

	/**
	 * The names of the locks that annotated methods have asked for.
	 */
	static final class Requests implements LockObserver {

		private final Queue<String> names = new ConcurrentLinkedQueue<>();

		@Override
		public @Nullable Wait requested(LockRequest request) {
			this.names.add(request.metricName());
			return null;
		}

		long of(String name) {
			return this.names.stream().filter(name::equals).count();
		}

	}

	/**
	 * Transactions that have been begun.
	 */
	@SuppressWarnings("serial")
	static final class Transactions extends AbstractPlatformTransactionManager {

		private final AtomicInteger begun = new AtomicInteger();

		int begun() {
			return this.begun.get();
		}

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.begun.incrementAndGet();
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			// Nothing was changed.
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			// Nothing was changed.
		}

	}

	/**
	 * ShedLock's locks that have been asked for.
	 */
	static final class ShedLocks implements LockProvider {

		private final AtomicInteger asked = new AtomicInteger();

		int asked() {
			return this.asked.get();
		}

		@Override
		public Optional<SimpleLock> lock(LockConfiguration configuration) {
			this.asked.incrementAndGet();
			return Optional.of(() -> {
			});
		}

	}

}
