package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.testing.PostgresFixture;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Tests for what fenced methods need to start.
 */
class FenceStartTests {

	private final DataSource database = h2();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.backend=in-memory");

	private final ApplicationContextRunner fenced = this.runner.withBean(DataSource.class, () -> this.database)
		.withUserConfiguration(Shop.class);

	private static DataSource h2() {
		JdbcDataSource database = new JdbcDataSource();
		database.setURL("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
		return database;
	}

	private static void works(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		context.getBean(Shop.class).ship("42");
	}

	private static long rows(DataSource database, String table) {
		return JdbcClient.create(database).sql("SELECT count(*) FROM " + table).query(Long.class).single();
	}

	private static boolean exists(DataSource database, String table) {
		return !JdbcClient.create(database)
			.sql("SELECT table_name FROM information_schema.tables WHERE lower(table_name) = ?")
			.param(table)
			.query()
			.listOfRows()
			.isEmpty();
	}

	private static void fails(ApplicationContextRunner application, Consumer<FailureAnalysis> check) {
		LockStartupFailureTests.failure(application, check);
	}

	@Test
	void createsTableInEmbeddedDatabase() {
		this.fenced.run((context) -> {
			works(context);
			assertThat(rows(this.database, "lock_fence")).isOne();
		});
		this.fenced.run(FenceStartTests::works);
	}

	@Test
	void createsTableOfAnotherName() {
		this.fenced.withPropertyValues("distributed-lock.fence.table=public.shop_fence").run((context) -> {
			works(context);
			assertThat(rows(this.database, "shop_fence")).isOne();
			assertThat(exists(this.database, "lock_fence")).isFalse();
		});
	}

	@Test
	void createsTableInOtherDatabasesIfToldTo() {
		DataSource postgres = PostgresFixture.createDatabase();
		ApplicationContextRunner application = this.runner.withBean(DataSource.class, () -> postgres)
			.withUserConfiguration(Shop.class);
		fails(application, (analysis) -> {
			assertThat(analysis.getDescription()).contains("Shop.ship(String) is fenced", "no table lock_fence");
			assertThat(analysis.getAction()).contains("distributed-lock.fence.initialize-schema=always");
			JdbcClient.create(postgres).sql(statement(analysis.getDescription())).update();
		});
		application.run(FenceStartTests::works);
		JdbcClient.create(postgres).sql("DROP TABLE lock_fence").update();
		application.withPropertyValues("distributed-lock.fence.initialize-schema=always").run(FenceStartTests::works);
	}

	private static String statement(String text) {
		return text.substring(text.indexOf("CREATE TABLE IF NOT EXISTS lock_fence ("), text.indexOf(");") + 1);
	}

	@Test
	void createsNoTableIfToldSo() {
		fails(this.fenced.withPropertyValues("distributed-lock.fence.initialize-schema=never"),
				(analysis) -> assertThat(analysis.getDescription()).contains("no table lock_fence"));
	}

	@Test
	void leavesApplicationsAloneThatFenceNothing() {
		this.runner.withBean(DataSource.class, () -> this.database)
			.withUserConfiguration(UnfencedShop.class)
			.withBean("another", PlatformTransactionManager.class, () -> mock(PlatformTransactionManager.class))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(UnfencedShop.class).ship("42");
				assertThat(exists(this.database, "lock_fence")).isFalse();
				assertThat(context.getBeanFactory().containsSingleton("lockFence")).isFalse();
			});
	}

	@Test
	void refusesFencedMethodsWithoutJdbc() {
		fails(this.runner.withUserConfiguration(Shop.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.jdbc")), (analysis) -> {
				assertThat(analysis.getDescription()).contains("Shop.ship", "needs JDBC");
				assertThat(analysis.getAction()).contains("spring-boot-starter-jdbc");
			});
	}

	@Test
	void refusesFencedWorkWithoutJdbc() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
			.run((context) -> assertThatIllegalStateException()
				.isThrownBy(() -> context.getBean(LockRegistry.class)
					.execute(LockRequest.of("order:42").fenced(), () -> "done"))
				.withMessageContaining("lock 'order:42'")
				.withMessageContaining("spring-boot-starter-jdbc"));
	}

	@Test
	void refusesFencedMethodsWithoutTransactionManager() {
		fails(this.runner.withUserConfiguration(Shop.class), (analysis) -> {
			assertThat(analysis.getDescription()).contains("Shop.ship(String) is fenced", "no transaction manager");
			assertThat(analysis.getAction()).contains("spring.datasource.url");
		});
	}

	@Test
	void refusesFencedMethodsWithSeveralTransactionManagersUnlessOneIsNamed() {
		ApplicationContextRunner several = this.fenced
			.withBean("orders", JdbcTransactionManager.class, () -> new JdbcTransactionManager(this.database))
			.withBean("billing", JdbcTransactionManager.class, () -> new JdbcTransactionManager(h2()));
		fails(several, (analysis) -> {
			assertThat(analysis.getDescription()).contains("Shop.ship(String) is fenced", "orders, billing");
			assertThat(analysis.getAction()).contains("distributed-lock.fence.transaction-manager");
		});
		fails(several.withPropertyValues("distributed-lock.fence.transaction-manager=order"), (analysis) -> {
			assertThat(analysis.getDescription()).contains("'order'");
			assertThat(analysis.getAction()).contains("orders, billing");
		});
		several.withPropertyValues("distributed-lock.fence.transaction-manager=orders").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(exists(this.database, "lock_fence")).isTrue();
		});
	}

	@Test
	void refusesFencedMethodsWhoseTransactionsAreNotThoseOfADataSource() {
		fails(this.fenced.withBean("queue", PlatformTransactionManager.class,
				() -> mock(AbstractPlatformTransactionManager.class)), (analysis) -> {
					assertThat(analysis.getDescription()).contains("Shop.ship(String) is fenced", "'queue'",
							"not those of one JDBC DataSource");
					assertThat(analysis.getAction()).contains("io.lockstarter.fence.Fence");
				});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock fence", "lock_fence;", "a.b.c.d", "1st", "" })
	void refusesTableThatIsNoIdentifier(String table) {
		fails(this.fenced.withPropertyValues("distributed-lock.fence.table=" + table),
				(analysis) -> assertThat(analysis.getDescription()).contains("distributed-lock.fence.table",
						"must be an identifier"));
	}

	@ParameterizedTest
	@ValueSource(classes = { FencedReader.class, FencedPermits.class })
	void refusesLocksWhoseTokensAreInNoOrder(Class<?> bean) {
		fails(this.fenced.withBean(bean), (analysis) -> assertThat(analysis.getDescription())
			.contains("fenced = true excludes type = READ and permits"));
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("a").type(LockType.READ).fenced());
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("a").fenced().permits(2));
	}

	@Test
	void refusesRequestsWhoseTransactionsNobodyWouldVerify() {
		LockRequest request = LockRequest.of("order:42").fenced();
		this.fenced.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThatIllegalArgumentException().isThrownBy(() -> registry.acquire(request))
				.withMessageContaining("order:42")
				.withMessageContaining("LockRegistry.execute")
				.withMessageContaining("io.lockstarter.fence.Fence");
			assertThatIllegalArgumentException().isThrownBy(() -> registry.get(request));
			assertThatFails(registry.acquireAsync(request));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> registry.acquireAll(List.of(LockRequest.of("a"), request)));
			assertThatFails(registry.acquireAllAsync(List.of(LockRequest.of("a"), request)));
			assertThatFails(registry.executeAsync(request, () -> CompletableFuture.completedFuture(1)));
		});
	}

	private static void assertThatFails(CompletableFuture<?> request) {
		assertThat(request).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(IllegalArgumentException.class);
	}

	public static class Shop {

		@Transactional
		@DistributedLock(name = "shop", key = "#id", fenced = true)
		public void ship(String id) {
		}

	}

	static class UnfencedShop {

		@Transactional
		@DistributedLock(name = "shop", key = "#id")
		void ship(String id) {
		}

	}

	static class FencedReader {

		@DistributedLock(type = LockType.READ, fenced = true)
		void read() {
		}

	}

	static class FencedPermits {

		@DistributedLock(permits = "2", fenced = true)
		void run() {
		}

	}

}
