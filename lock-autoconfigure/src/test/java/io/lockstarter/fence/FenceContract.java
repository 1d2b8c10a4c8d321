package io.lockstarter.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.StaleTokenException;
import io.lockstarter.fence.FencedApplication.Accounts;
import io.lockstarter.fence.FencedApplication.Refusals;
import io.lockstarter.logging.LockLog;
import io.lockstarter.testing.CapturedLog;
import io.micrometer.core.instrument.MeterRegistry;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import static io.lockstarter.fence.FencedApplication.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What fenced locks promise in any database. Holders lose their locks by a forced
 * release, as they would by a pause that is longer than the lease.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FenceContract {

	private HikariDataSource dataSource;

	private ConfigurableApplicationContext context;

	Accounts accounts;

	LockRegistry registry;

	JdbcClient jdbc;

	/** Creates an empty database. */
	abstract DataSource createDatabase();

	@BeforeAll
	void start() {
		this.dataSource = new HikariDataSource();
		this.dataSource.setDataSource(createDatabase());
		JdbcClient.create(this.dataSource).sql("CREATE TABLE account (id INT PRIMARY KEY, n BIGINT NOT NULL)").update();
		this.context = FencedApplication.start(this.dataSource);
		this.accounts = this.context.getBean(Accounts.class);
		this.registry = this.context.getBean(LockRegistry.class);
		this.jdbc = this.context.getBean(JdbcClient.class);
	}

	@AfterAll
	void stop() {
		this.context.close();
		this.dataSource.close();
	}

	@BeforeEach
	void begin() {
		this.jdbc.sql("DELETE FROM account").update();
		this.jdbc.sql("DELETE FROM lock_fence").update();
		this.jdbc.sql("INSERT INTO account VALUES (1, 0), (2, 0)").update();
		this.context.getBean(Refusals.class).all.clear();
	}

	private Runnable overtaken(int id) {
		return this.accounts.overtaken(this.accounts, id);
	}

	private void isRefused(Runnable call) {
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(call::run);
	}

	private void holds(int id, long n) {
		assertThat(this.accounts.read(id)).isEqualTo(n);
	}

	@Test
	void commitsWhileNobodyElseGetsTheLock() {
		this.accounts.add(1, 5, NOTHING);
		this.accounts.add(1, 5, NOTHING);
		holds(1, 10);
		assertThat(this.jdbc.sql("SELECT name FROM lock_fence").query(String.class).list())
			.containsExactly("account:1");
	}

	@Test
	void losesAnUpdateWithoutFence() {
		// The lock says so, but too late: the transaction has been committed.
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.accounts.addUnfenced(1, 5, overtaken(1)))
			.isNotInstanceOf(StaleTokenException.class);
		holds(1, 5);
	}

	@Test
	void refusesTransactionOfHolderThatWasOvertaken() {
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.accounts.add(1, 5, overtaken(1)))
			.withMessageContaining("lock 'account:1'")
			.withMessageContaining("another owner has held the lock since")
			.withMessageContaining("rolled back")
			.satisfies((ex) -> {
				assertThat(ex.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
				FenceRefusal refusal = ex.refusal();
				assertThat(refusal.stage()).isEqualTo(FenceRefusal.Stage.COMMIT);
				assertThat(refusal.registeredToken()).isEqualTo(registeredToken("account:1"))
					.isGreaterThan(refusal.fencingToken());
				assertThat(ex).hasMessageContaining("token " + refusal.fencingToken())
					.hasMessageContaining("token " + refusal.registeredToken());
			});
		holds(1, 10);
	}

	private Long registeredToken(String row) {
		return this.jdbc.sql("SELECT token FROM lock_fence WHERE name = ?").param(row).query(Long.class).single();
	}

	@Test
	void refusesWithMoreIsolation() {
		isRefused(() -> this.accounts.copyRepeatably(1, 2, overtaken(1)));
		// The database lets nobody write what such a transaction has read.
		isRefused(() -> this.accounts.copySerializably(1, 2, () -> {
			this.context.getBean(LockMonitor.class).forceRelease("account:1");
			joined(() -> this.accounts.run(1, NOTHING));
		}));
		holds(1, 10);
		holds(2, 0);
	}

	@Test
	void readsWhatEarlierHoldersHaveCommittedWithAnyIsolation() {
		this.accounts.add(1, 5, NOTHING);
		this.accounts.copyRepeatably(1, 1, NOTHING);
		this.accounts.copySerializably(1, 1, NOTHING);
		holds(1, 7);
	}

	@Test
	void callersHaveToRepeatTheCall() {
		AtomicInteger calls = new AtomicInteger();
		this.accounts.addAgain(1, 5, () -> {
			if (calls.incrementAndGet() == 1) {
				overtaken(1).run();
			}
		});
		assertThat(calls).hasValue(2);
		holds(1, 15);
	}

	/**
	 * Every fourth holder loses its lock between reading and writing, so that up to four
	 * work at once.
	 */
	@Test
	void losesNoUpdateOfAnyoneWhoseLockIsTakenAwayAgainAndAgain() {
		LockMonitor monitor = this.context.getBean(LockMonitor.class);
		AtomicInteger calls = new AtomicInteger();
		AtomicInteger committed = new AtomicInteger();
		Runnable caller = () -> {
			for (int i = 0; i < 50; i++) {
				boolean loses = calls.incrementAndGet() % 4 == 0;
				try {
					this.accounts.add(1, 1, loses ? () -> monitor.forceRelease("account:1") : NOTHING);
					committed.incrementAndGet();
				}
				catch (StaleTokenException | DataAccessException ex) {
					// Rolled back.
				}
				catch (LockLostException ex) {
					// The release tells the loss, after the commit.
					committed.incrementAndGet();
				}
			}
		};
		CompletableFuture
			.allOf(Stream.generate(() -> CompletableFuture.runAsync(caller, (task) -> new Thread(task).start()))
				.limit(4)
				.toArray(CompletableFuture[]::new))
			.join();
		assertThat(committed).hasPositiveValue();
		holds(1, committed.get());
	}

	@Test
	void verifiesTransactionsThatBeginInside() {
		isRefused(() -> this.accounts.run(1,
				() -> this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, overtaken(1)))));
		holds(1, 10);
	}

	@Test
	void verifiesEachOfSeveralTransactions() {
		isRefused(() -> this.accounts.run(1, () -> {
			this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, NOTHING));
			this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, NOTHING));
			this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, overtaken(1)));
		}));
		holds(1, 20);
	}

	/** Of which the verifier does not hear whether it was committed. */
	@Test
	void verifiesTransactionAfterOneThatAnotherListenerHasStopped() {
		this.accounts.add(1, 5, NOTHING);
		ConfigurableTransactionManager manager = this.context.getBean(ConfigurableTransactionManager.class);
		List<TransactionExecutionListener> listeners = List.copyOf(manager.getTransactionExecutionListeners());
		AtomicInteger commits = new AtomicInteger();
		manager.addListener(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				if (commits.incrementAndGet() == 1) {
					throw new IllegalTransactionStateException("Stopped");
				}
			}

		});
		try {
			isRefused(() -> this.accounts.run(1, () -> {
				assertThatExceptionOfType(IllegalTransactionStateException.class)
					.isThrownBy(() -> this.accounts.inTransaction(() -> this.accounts.readAndWrite(2, 5, NOTHING)));
				this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, overtaken(1)));
			}));
		}
		finally {
			manager.setTransactionExecutionListeners(listeners);
		}
		holds(1, 15);
	}

	@Test
	void verifiesInnerAndOuterTransaction() {
		isRefused(() -> this.accounts.run(1, () -> this.accounts.inTransaction(() -> {
			this.accounts.inTransaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
					TransactionDefinition.ISOLATION_DEFAULT, () -> this.accounts.readAndWrite(2, 5, NOTHING));
			this.accounts.readAndWrite(1, 5, overtaken(1));
		})));
		holds(1, 10);
		holds(2, 5);
		isRefused(
				() -> this.accounts.run(1,
						() -> this.accounts.inTransaction(() -> this.accounts.inTransaction(
								TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.ISOLATION_DEFAULT,
								() -> this.accounts.readAndWrite(1, 5, overtaken(1))))));
		holds(1, 20);
	}

	@Test
	void verifiesTransactionsOfThreadsThatWorkUnderTheLock() {
		isRefused(() -> this.accounts.run(1, () -> {
			LockContext locks = LockContext.capture();
			Runnable work = () -> this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, overtaken(1)));
			joined(() -> {
				try (LockContext.Scope scope = locks.restore()) {
					work.run();
				}
			});
		}));
		holds(1, 10);
	}

	private static void joined(Runnable work) {
		try {
			CompletableFuture.runAsync(work).join();
		}
		catch (CompletionException ex) {
			throw (RuntimeException) ex.getCause();
		}
	}

	@Test
	void verifiesTransactionOfTheCaller() {
		this.accounts.inTransaction(() -> this.accounts.add(1, 5, NOTHING));
		holds(1, 5);
		isRefused(
				() -> this.accounts.inTransaction(() -> this.accounts.add(1, 5, this.accounts.overtakenUnnoticed(1))));
		holds(1, 15);
		isRefused(() -> this.accounts.inTransaction(() -> {
			this.accounts.look(1, NOTHING);
			this.accounts.add(2, 5, NOTHING);
			this.accounts.overtakenUnnoticed(1).run();
		}));
		holds(1, 25);
		holds(2, 0);
	}

	@Test
	void committedTransactionsOfCallersReadWhatOthersHaveCommitted() {
		this.accounts.inTransaction(() -> {
			holds(1, 0);
			joined(() -> this.accounts.add(1, 10, NOTHING));
			this.accounts.add(1, 5, NOTHING);
		});
		holds(1, 15);
	}

	@Test
	void refusesCallInTransactionWhoseSnapshotMayBeOlder() {
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> this.accounts.inTransaction(TransactionDefinition.PROPAGATION_REQUIRED,
					TransactionDefinition.ISOLATION_REPEATABLE_READ, () -> {
						holds(1, 0);
						joined(() -> this.accounts.add(1, 10, NOTHING));
						// This is what the fence could not see.
						holds(1, 0);
						this.accounts.add(1, 5, NOTHING);
					}))
			.withMessageContaining("Accounts.add(int, long, Runnable)")
			.withMessageContaining("READ_COMMITTED")
			.withMessageContaining("NOT_SUPPORTED");
		holds(1, 10);
	}

	/** Such a transaction may have read what was rolled back afterwards. */
	@Test
	void refusesTransactionThatReadsUncommitted() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.accounts.run(1,
					() -> this.accounts.inTransaction(TransactionDefinition.PROPAGATION_REQUIRED,
							TransactionDefinition.ISOLATION_READ_UNCOMMITTED,
							() -> this.accounts.readAndWrite(1, 5, NOTHING))))
			.withMessageContaining("READ_UNCOMMITTED");
		holds(1, 0);
	}

	@Test
	void takesNewTransactionWhileThatOfTheCallerIsSuspended() {
		this.accounts.inTransaction(TransactionDefinition.PROPAGATION_REQUIRED,
				TransactionDefinition.ISOLATION_REPEATABLE_READ,
				() -> this.accounts.inTransaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
						TransactionDefinition.ISOLATION_DEFAULT, () -> this.accounts.add(1, 5, NOTHING)));
		this.accounts.inTransaction(() -> this.accounts.addAnew(1, 5, NOTHING));
		holds(1, 10);
		isRefused(() -> this.accounts.inTransaction(() -> this.accounts.addAnew(1, 5, overtaken(1))));
		holds(1, 20);
	}

	@Test
	void registersOnceForEachHold() {
		this.accounts.run(1, () -> {
			this.accounts.add(1, 5, NOTHING);
			this.accounts.copyRepeatably(1, 1, NOTHING);
		});
		this.accounts.runUnfenced(1, () -> {
			this.accounts.add(1, 5, NOTHING);
			this.accounts.add(1, 5, NOTHING);
			this.accounts.inTransaction(() -> {
				this.accounts.add(1, 5, NOTHING);
				this.accounts.add(1, 5, NOTHING);
			});
		});
		this.accounts.run(1, () -> this.accounts.inTransaction(TransactionDefinition.PROPAGATION_REQUIRED,
				TransactionDefinition.ISOLATION_REPEATABLE_READ, () -> this.accounts.add(1, 5, NOTHING)));
		holds(1, 31);
	}

	@Test
	void verifiesSeveralLocks() {
		this.accounts.transfer(2, 1, 5, NOTHING);
		holds(1, 5);
		isRefused(() -> this.accounts.transfer(1, 2, 5, overtaken(2)));
		isRefused(() -> this.accounts.transfer(1, 2, 5, overtaken(1)));
		holds(1, 15);
		holds(2, 5);
	}

	@Test
	void verifiesNestedLocks() {
		isRefused(() -> this.accounts.run(2,
				() -> this.accounts.inTransaction(() -> this.accounts.add(1, 5, this.accounts.overtakenUnnoticed(2)))));
		isRefused(() -> this.accounts.run(2,
				() -> this.accounts.inTransaction(() -> this.accounts.add(1, 5, this.accounts.overtakenUnnoticed(1)))));
		this.accounts.run(2, () -> this.accounts.inTransaction(() -> this.accounts.add(1, 5, NOTHING)));
		holds(1, 15);
		holds(2, 10);
	}

	@Test
	void verifiesWorkOfTheRegistry() throws InterruptedException {
		LockRequest request = LockRequest.of("account:1").fenced();
		this.registry.execute(request,
				() -> this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, NOTHING)));
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.registry.execute(request,
				() -> this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, overtaken(1)))));
		holds(1, 15);
	}

	@Test
	void refusesTokenThatIsNotHigherBeforeTheMethodRuns() {
		this.jdbc.sql("INSERT INTO lock_fence VALUES ('account:1', ?, 0)").param(Long.MAX_VALUE).update();
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.accounts.add(1, 5, Assertions::fail))
			.withMessageContaining("did not begin")
			.withMessageContaining("DELETE FROM lock_fence WHERE name = 'account:1'")
			.satisfies((ex) -> assertThat(ex.refusal().stage()).isEqualTo(FenceRefusal.Stage.REGISTRATION));
		this.jdbc.sql("DELETE FROM lock_fence WHERE name = 'account:1'").update();
		this.accounts.add(1, 5, NOTHING);
		holds(1, 5);
	}

	@Test
	void refusesEqualTokenOfAnotherHold() {
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.accounts.runUnfenced(1, () -> {
			this.jdbc.sql("INSERT INTO lock_fence VALUES ('account:1', ?, 0)")
				.param(LockContext.current().fencingToken())
				.update();
			this.accounts.add(1, 5, Assertions::fail);
		}));
	}

	@Test
	void refusesTransactionWhoseRowIsGone() {
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.accounts.run(1, () -> {
			this.jdbc.sql("DELETE FROM lock_fence").update();
			this.accounts.inTransaction(() -> this.accounts.readAndWrite(1, 5, NOTHING));
		}))
			.withMessageContaining("has no row for it")
			.withMessageContaining("another owner may have held the lock since")
			.satisfies((ex) -> assertThat(ex.refusal().registeredToken()).isNull());
		holds(1, 0);
	}

	@Test
	void verifiesNothingThatOnlyReads() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.accounts.look(1, overtaken(1)))
			.isNotInstanceOf(StaleTokenException.class);
	}

	@Test
	void warnsOnceWhereNothingWasProtected() {
		try (CapturedLog log = CapturedLog.of(TransactionFence.class)) {
			this.accounts.add(1, 5, NOTHING);
			this.accounts.inTransaction(() -> this.accounts.add(1, 5, NOTHING));
			this.accounts.look(1, NOTHING);
			assertThatIllegalStateException().isThrownBy(() -> this.accounts.runAlone(1, () -> {
				throw new IllegalStateException();
			}));
			LockLog.flush();
			assertThat(log.lines()).isEmpty();
			this.accounts.runAlone(1, NOTHING);
			this.accounts.runAlone(2, NOTHING);
			LockLog.flush();
			assertThat(log.lines()).singleElement()
				.asString()
				.contains("Accounts.runAlone(int, Runnable)", "no transaction began");
		}
	}

	@Test
	void tellsRefusalsByEventAndMeter() {
		isRefused(() -> this.accounts.add(1, 5, overtaken(1)));
		List<FenceRefusal> refusals = this.context.getBean(Refusals.class).all;
		await().untilAsserted(() -> assertThat(refusals).singleElement().satisfies((refusal) -> {
			assertThat(refusal.name()).isEqualTo("account:1");
			assertThat(refusal.metricName()).isEqualTo("account");
		}));
		assertThat(counted("refused")).isPositive();
		double committed = counted("committed");
		this.accounts.add(1, 5, NOTHING);
		assertThat(counted("committed")).isEqualTo(committed + 1);
	}

	private double counted(String outcome) {
		return this.context.getBean(MeterRegistry.class)
			.get("distributed.lock.fenced")
			.tag("name", "account")
			.tag("outcome", outcome)
			.counter()
			.count();
	}

	@Test
	void deletesRowsThatNobodyTouches() throws Exception {
		this.context.getBean(JdbcTemplate.class)
			.batchUpdate("INSERT INTO lock_fence VALUES (?, 1, 0)",
					IntStream.range(0, 1100).mapToObj((i) -> new Object[] { "old" + i }).toList());
		this.accounts.add(1, 5, NOTHING);
		this.accounts.run(2, () -> {
			this.jdbc.sql("UPDATE lock_fence SET touched = 0 WHERE name = 'account:2'").update();
			this.accounts.inTransaction(() -> this.accounts.readAndWrite(2, 5, NOTHING));
		});
		this.context.getBean(TransactionFence.class).clean();
		assertThat(this.jdbc.sql("SELECT name FROM lock_fence ORDER BY name").query(String.class).list())
			.containsExactly("account:1", "account:2");
	}

	@Test
	void handlesRegisterAndVerifyOnConnectionsOfTheCaller() throws Exception {
		Fence fence = new Fence();
		try (LockHandle lock = this.registry.acquire(LockRequest.of("account:1"));
				Connection connection = this.dataSource.getConnection()) {
			assertThatIllegalStateException().isThrownBy(() -> fence.verify(connection, lock));
			fence.register(connection, lock);
			connection.setAutoCommit(false);
			assertThatIllegalStateException().isThrownBy(() -> fence.register(connection, lock));
			update(connection, 5);
			fence.verify(connection, lock);
			connection.commit();
			update(connection, 7);
			this.context.getBean(LockMonitor.class).forceRelease("account:1");
			joined(() -> this.accounts.run(1, NOTHING));
			assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence.verify(connection, lock));
			connection.commit();
		}
		catch (LockLostException ex) {
			assertThat(ex).isNotInstanceOf(StaleTokenException.class);
		}
		holds(1, 5);
	}

	private static void update(Connection connection, long n) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.executeUpdate("UPDATE account SET n = " + n + " WHERE id = 1");
		}
	}

	@Test
	void registrationWaitsForTransactionThatWasVerified() throws Exception {
		Fence fence = new Fence();
		LockHandle first = this.registry.acquire(LockRequest.of("account:1"));
		try (Connection connection = this.dataSource.getConnection()) {
			fence.register(connection, first);
			connection.setAutoCommit(false);
			update(connection, 5);
			fence.verify(connection, first);
			this.context.getBean(LockMonitor.class).forceRelease("account:1");
			CompletableFuture<Void> next = CompletableFuture.runAsync(() -> this.accounts.add(1, 10, NOTHING));
			await().until(() -> this.context.getBean(LockMonitor.class).heldCount() == 1);
			assertThat(next).isNotDone();
			connection.commit();
			next.join();
		}
		holds(1, 15);
	}

}
