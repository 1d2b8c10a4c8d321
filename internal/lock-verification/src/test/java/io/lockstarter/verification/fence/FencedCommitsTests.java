package io.lockstarter.verification.fence;

import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.lockstarter.testing.MariaDbFixture;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.PostgresFixture;
import io.lockstarter.testing.Tool;
import io.lockstarter.verification.fence.Audit.Report;
import io.lockstarter.verification.fence.Ledger.Totals;
import io.lockstarter.verification.fence.Teller.Way;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.IllegalTransactionStateException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of commits of many threads whose locks are continuously force-released, with
 * every isolation that a fenced method may have. Without a fence, the same work loses
 * updates.
 */
@Timeout(120)
class FencedCommitsTests {

	private static final String COMMITTED = "TRANSACTION_READ_COMMITTED";

	private static final List<Way> UNFENCED = List.of(Way.UNFENCED);

	/** Order for every isolation: the transaction begins after the registration. */
	private static final List<Way> FENCED = List.of(Way.OF_METHOD, Way.INSIDE);

	/**
	 * Orders for this isolation: the transaction may also begin before the registration.
	 */
	private static final List<Way> FENCED_ANYWHERE = List.of(Way.OF_METHOD, Way.INSIDE, Way.OF_CALLER);

	private static final int MANY = Integer.getInteger("verification.fence.smoke", 400);

	private static final int FEW = MANY / 5;

	@Test
	void losesUpdatesWithoutFence() {
		for (DataSource database : List.of(h2(), PostgresFixture.createDatabase())) {
			Report report = work(database, COMMITTED, UNFENCED, (totals) -> totals.lost() > 0 && totals.gain() != 0);
			assertThat(report.wrong()).as("%s", report).isPositive();
		}
	}

	@Test
	void losesNoUpdateInPostgres() {
		losesNone(PostgresFixture.createDatabase(), COMMITTED, FENCED_ANYWHERE, MANY);
	}

	@Tag("stress")
	@ParameterizedTest
	@ValueSource(strings = { "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE" })
	void losesNoUpdateInPostgresWithMoreIsolation(String isolation) {
		losesNone(PostgresFixture.createDatabase(), isolation, FENCED, FEW);
	}

	@Test
	void losesNoUpdateInH2() {
		losesNone(h2(), COMMITTED, FENCED_ANYWHERE, FEW);
	}

	@Tag("stress")
	@ParameterizedTest
	@ValueSource(strings = { "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE" })
	void losesNoUpdateInH2WithMoreIsolation(String isolation) {
		losesNone(h2(), isolation, FENCED, FEW);
	}

	@Tag("stress")
	@Test
	void losesNoUpdateWithLocksOfAQuorum() {
		losesNone(work(h2(), COMMITTED, 3, FENCED_ANYWHERE, (totals) -> totals.commits() >= FEW), FEW);
	}

	@Needs(Tool.MARIADB)
	@Test
	void losesNoUpdateInMariaDb() {
		losesNone(MariaDbFixture.createDatabase(), COMMITTED, FENCED_ANYWHERE, FEW);
	}

	@Needs(Tool.MARIADB)
	@Tag("stress")
	@ParameterizedTest
	@ValueSource(strings = { "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE" })
	void losesNoUpdateInMariaDbWithMoreIsolation(String isolation) {
		losesNone(MariaDbFixture.createDatabase(), isolation, FENCED, FEW);
	}

	@Test
	void refusesCallersWhoseSnapshotsMayBeOlder() {
		String refusal = IllegalTransactionStateException.class.getSimpleName();
		try (Branches branches = new Branches(h2(), "TRANSACTION_REPEATABLE_READ", 1)) {
			Report report = branches.work(List.of(Way.OF_CALLER),
					(totals) -> totals.commits() > 0 || branches.outcomes().count(refusal) > 10);
			assertThat(report.totals().commits()).as("%s", report).isZero();
		}
	}

	private static void losesNone(DataSource database, String isolation, List<Way> ways, int commits) {
		losesNone(work(database, isolation, ways, (totals) -> totals.commits() >= commits), commits);
	}

	private static void losesNone(Report report, int commits) {
		assertThat(report.totals()).as("%s", report)
			.matches(Totals::isRight)
			.matches((totals) -> totals.commits() >= commits);
		assertThat(report.wrong()).as("%s", report).isZero();
		assertThat(report.outcomes().refused()).as("%s", report).isPositive();
	}

	private static Report work(DataSource database, String isolation, List<Way> ways, Predicate<Totals> enough) {
		return work(database, isolation, 1, ways, enough);
	}

	private static Report work(DataSource database, String isolation, int servers, List<Way> ways,
			Predicate<Totals> enough) {
		try (Branches branches = new Branches(database, isolation, servers)) {
			Report report = branches.work(ways, enough);
			System.out.printf("[FencedCommitsTests] %s %s %s: %s%n", database.getClass().getSimpleName(), isolation,
					ways, report);
			return report;
		}
	}

	private static DataSource h2() {
		JdbcDataSource database = new JdbcDataSource();
		database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000");
		return database;
	}

}
