package io.lockstarter.autoconfigure;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for the order of the lock among the other advice of a method.
 */
class LockOrderTests {

	private final LockRegistry registry = mock(LockRegistry.class);

	private final LockHandle lock = mock(LockHandle.class);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, AopAutoConfiguration.class))
		.withBean(LockRegistry.class, () -> this.registry);

	private final ApplicationContextRunner database = this.runner
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
		.withBean(Accounts.class);

	private final List<Integer> committedAtRelease = new ArrayList<>();

	@BeforeEach
	void grant() throws Exception {
		given(this.registry.acquire(any())).willReturn(this.lock);
		given(this.lock.isValid()).willReturn(true);
		given(this.lock.parts()).willReturn(List.of(this.lock));
	}

	@Test
	void releasesLockAfterCommit() {
		this.database.run((context) -> {
			insert(context.getBean(DataSource.class), context.getBean(Accounts.class));
			assertThat(this.committedAtRelease).containsExactly(1);
		});
	}

	/**
	 * Shows that the test above sees the difference.
	 */
	@Test
	void releasesLockBeforeCommitWhenUserPutsTransactionOutside() {
		this.database.withUserConfiguration(TransactionOutside.class)
			.withPropertyValues("distributed-lock.release-after-transaction=false")
			.run((context) -> {
				insert(context.getBean(DataSource.class), context.getBean(Accounts.class));
				assertThat(this.committedAtRelease).containsExactly(0);
			});
	}

	@Test
	void releasesLockAfterCommitEvenWhenUserPutsTransactionOutside() {
		this.database.withUserConfiguration(TransactionOutside.class).run((context) -> {
			insert(context.getBean(DataSource.class), context.getBean(Accounts.class));
			assertThat(this.committedAtRelease).containsExactly(1);
		});
	}

	@Test
	void releasesLockAfterRollback() {
		this.database.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			accounts.create();
			willAnswer((invocation) -> this.committedAtRelease
				.add(countFromOtherConnection(context.getBean(DataSource.class)))).given(this.lock).close();
			assertThatIllegalStateException().isThrownBy(accounts::insertAndFail).withMessage("business");
			assertThat(this.committedAtRelease).containsExactly(0);
		});
	}

	@Test
	void keepsLockUntilTransactionOfCallerIsCommitted() {
		this.database.run((context) -> {
			insertInTransactionOfCaller(context);
			assertThat(this.committedAtRelease).containsExactly(1);
		});
	}

	/**
	 * Shows that the test above sees the difference.
	 */
	@Test
	void releasesLockBeforeCommitOfCallerWhereThatIsAskedFor() {
		this.database.withPropertyValues("distributed-lock.release-after-transaction=false").run((context) -> {
			insertInTransactionOfCaller(context);
			assertThat(this.committedAtRelease).containsExactly(0);
		});
	}

	private void insertInTransactionOfCaller(ApplicationContext context) {
		new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(
				(status) -> insert(context.getBean(DataSource.class), context.getBean(Accounts.class)));
	}

	@Test
	void keepsLockUntilTransactionOfCallerIsRolledBack() {
		this.database.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			accounts.create();
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					accounts.insert();
					then(this.lock).should(never()).close();
					status.setRollbackOnly();
				});
			then(this.lock).should().close();
			assertThat(countFromOtherConnection(context.getBean(DataSource.class))).isZero();
		});
	}

	@Test
	void doesNotCommitTransactionOfCallerWhenLockWasLost() {
		this.database.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			accounts.create();
			IllegalStateException lost = new IllegalStateException("lost");
			willThrow(lost).given(this.lock).extend(any());
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			assertThatIllegalStateException().isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				accounts.insert();
				given(this.lock.isValid()).willReturn(false);
			})).isSameAs(lost);
			assertThat(countFromOtherConnection(context.getBean(DataSource.class))).isZero();
		});
	}

	@Test
	void nextHolderSeesWhatLastOneCommitted() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, AopAutoConfiguration.class,
					DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
					"distributed-lock.backend=in-memory")
			.withBean(Accounts.class)
			.run((context) -> {
				Accounts accounts = context.getBean(Accounts.class);
				accounts.create();
				accounts.insert();
				List<CompletableFuture<Void>> deposits = IntStream.range(0, 8)
					.mapToObj((i) -> CompletableFuture.runAsync(
							() -> IntStream.range(0, 25).forEach((j) -> accounts.deposit()),
							(task) -> new Thread(task).start()))
					.toList();
				deposits.forEach((deposit) -> assertThat(deposit).succeedsWithin(30, TimeUnit.SECONDS));
				assertThat(accounts.balance()).isEqualTo(1 + 8 * 25);
			});
	}

	private void insert(DataSource dataSource, Accounts accounts) {
		accounts.create();
		willAnswer((invocation) -> this.committedAtRelease.add(countFromOtherConnection(dataSource))).given(this.lock)
			.close();
		accounts.insert();
	}

	private static int countFromOtherConnection(DataSource dataSource) throws SQLException {
		try (Connection connection = dataSource.getConnection();
				Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery("select count(*) from account")) {
			result.next();
			return result.getInt(1);
		}
	}

	@Test
	void looksIntoCacheUnderLock() {
		this.runner.withUserConfiguration(Caching.class).withBean(Report.class).run((context) -> {
			Report report = context.getBean(Report.class);
			report.cached();
			report.cached();
			then(this.registry).should(times(2)).acquire(any());
			assertThat(report.runs()).isEqualTo(1);
		});
	}

	/**
	 * Shows that the test above sees the difference.
	 */
	@Test
	void looksIntoCacheWithoutLockWhenUserPutsCacheOutside() {
		this.runner.withUserConfiguration(CachingOutside.class).withBean(Report.class).run((context) -> {
			Report report = context.getBean(Report.class);
			report.cached();
			report.cached();
			then(this.registry).should(times(1)).acquire(any());
		});
	}

	@Test
	void runsAsyncFutureOnThreadOfExecutorUnderLock() {
		this.runner.withUserConfiguration(AsyncMethods.class).withBean(Report.class).run((context) -> {
			Report report = context.getBean(Report.class);
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<Thread> ranOn = new CompletableFuture<>();
			CompletableFuture<String> result = report.asyncFuture(work, ranOn);
			assertThat(ranOn.get(10, TimeUnit.SECONDS).getName()).startsWith("SimpleAsyncTaskExecutor");
			then(this.registry).should().acquire(any());
			then(this.lock).should(never()).close();
			work.complete("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
			then(this.lock).should().close();
		});
	}

	@Test
	void locksOnThreadThatRunsAsyncMethod() {
		this.runner.withUserConfiguration(AsyncMethods.class).withBean(Report.class).run((context) -> {
			BlockingQueue<Thread> acquiredOn = new LinkedBlockingQueue<>();
			given(this.registry.acquire(any())).willAnswer((invocation) -> {
				acquiredOn.add(Thread.currentThread());
				return this.lock;
			});
			Report report = context.getBean(Report.class);
			report.async();
			assertThat(acquiredOn.poll(10, TimeUnit.SECONDS)).isNotNull().isNotSameAs(Thread.currentThread());
		});
	}

	@Test
	void locksEachAttemptOfRetriedMethod() {
		this.runner.withUserConfiguration(RetriedMethods.class).withBean(Report.class).run((context) -> {
			context.getBean(Report.class).thirdTimeLucky();
			then(this.registry).should(times(3)).acquire(any());
			then(this.lock).should(times(3)).close();
		});
	}

	static class Accounts {

		private final JdbcTemplate jdbc;

		Accounts(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		public void create() {
			this.jdbc.execute("create table account (id int)");
		}

		@DistributedLock
		@Transactional
		public void insert() {
			this.jdbc.update("insert into account values (1)");
		}

		/** Loses an update unless the one before it is committed. */
		@DistributedLock
		@Transactional
		public void deposit() {
			int balance = balance();
			this.jdbc.update("update account set id = ?", balance + 1);
		}

		public int balance() {
			return this.jdbc.queryForObject("select id from account", Integer.class);
		}

		@DistributedLock
		@Transactional
		public void insertAndFail() {
			insert();
			throw new IllegalStateException("business");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true, order = 0)
	static class TransactionOutside {

	}

	static class Report {

		private int runs;

		public int runs() {
			return this.runs;
		}

		@DistributedLock
		@Cacheable("reports")
		public String cached() {
			this.runs++;
			return "report";
		}

		@Async
		@DistributedLock
		public void async() {
		}

		@Async
		@DistributedLock
		public CompletableFuture<String> asyncFuture(CompletableFuture<String> work, CompletableFuture<Thread> ranOn) {
			ranOn.complete(Thread.currentThread());
			return work;
		}

		@Retryable(maxRetries = 2, delay = 1)
		@DistributedLock
		public void thirdTimeLucky() {
			if (++this.runs < 3) {
				throw new IllegalStateException("attempt " + this.runs);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching extends CacheManagers {

	}

	static class CacheManagers {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = 0)
	static class CachingOutside extends CacheManagers {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncMethods {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class RetriedMethods {

	}

}
