package io.lockstarter.sample.boxoffice;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.sample.SampleProperties;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Scheduled payment of the theatre for sold tickets. Every instance has the schedule, and
 * one of them does the work.
 */
@Service
public class Settlement {

	private static final Log logger = LogFactory.getLog(Settlement.class);

	private static final int PRICE = 25;

	private final JdbcClient jdbc;

	private final Tickets tickets;

	private final Paperwork paperwork;

	private final String instance;

	Settlement(JdbcClient jdbc, Tickets tickets, Paperwork paperwork, SampleProperties properties) {
		this.jdbc = jdbc;
		this.tickets = tickets;
		this.paperwork = paperwork;
		this.instance = properties.instance();
	}

	/**
	 * Settles the tickets that were sold since the last settlement. An instance skips the
	 * work while another instance settles, or if another one has begun within the last
	 * five seconds.
	 * @return the payment, or {@code null} if there was nothing to settle or this
	 * instance skipped the work
	 */
	@Scheduled(cron = "${sample.settlement.cron}")
	@DistributedLock(name = "settlement", waitTime = "0", holdAtLeast = "5s", onTimeout = OnTimeout.SKIP)
	@Transactional
	public @Nullable Statement settle() {
		List<String> sold = this.tickets.unsettled();
		if (sold.isEmpty()) {
			return null;
		}
		this.paperwork.fillIn();
		// Only the paid ones, because other tickets may be sold concurrently
		this.tickets.markSettled(sold);
		Statement statement = new Statement(sold.size(), sold.size() * PRICE, this.instance, Instant.now());
		write(statement);
		logger.info(String.format(Locale.ROOT, "Paid the theatre %d for %d sold tickets", statement.amount(),
				statement.tickets()));
		return statement;
	}

	/**
	 * Returns the payments to the theatre.
	 * @return the statements, latest first
	 */
	public List<Statement> statements() {
		return this.jdbc.sql("select tickets, amount, settled_by, settled_at from settlement order by settled_at desc")
			.query(Settlement::statement)
			.list();
	}

	/**
	 * Deletes all statements.
	 */
	public void reopen() {
		this.jdbc.sql("delete from settlement").update();
	}

	private void write(Statement statement) {
		this.jdbc.sql("insert into settlement (id, tickets, amount, settled_by, settled_at) values (?, ?, ?, ?, ?)")
			.params(UUID.randomUUID().toString(), statement.tickets(), statement.amount(), statement.settledBy(),
					Timestamp.from(statement.settledAt()))
			.update();
	}

	private static Statement statement(ResultSet row, int number) throws SQLException {
		return new Statement(row.getInt("tickets"), row.getInt("amount"), row.getString("settled_by"),
				row.getTimestamp("settled_at").toInstant());
	}

	/**
	 * Payment to the theatre.
	 *
	 * @param tickets the number of settled tickets
	 * @param amount the amount that was paid
	 * @param settledBy the instance that paid
	 * @param settledAt the time of the payment
	 */
	public record Statement(int tickets, int amount, String settledBy, Instant settledAt) {
	}

}
