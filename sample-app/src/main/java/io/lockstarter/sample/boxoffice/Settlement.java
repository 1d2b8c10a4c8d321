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
 * Pays the theatre for sold tickets. Every instance has the schedule; one does the work.
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
	 * Settle what was sold since the last time. An instance that comes within five
	 * seconds of another one, or while that one settles, goes home.
	 * @return what was settled, or {@code null} if there was nothing or another instance
	 * is settling
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
		// Only those that are paid: tickets are sold meanwhile, under locks of their own.
		this.tickets.markSettled(sold);
		Statement statement = new Statement(sold.size(), sold.size() * PRICE, this.instance, Instant.now());
		write(statement);
		logger.info(String.format(Locale.ROOT, "Paid the theatre for sold tickets: %d, in all %d", statement.tickets(),
				statement.amount()));
		return statement;
	}

	/**
	 * Return what was settled.
	 * @return the statements, latest first
	 */
	public List<Statement> statements() {
		return this.jdbc.sql("select tickets, amount, settled_by, settled_at from settlement order by settled_at desc")
			.query(Settlement::statement)
			.list();
	}

	/**
	 * Forget all statements.
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
	 * One payment to the theatre.
	 *
	 * @param tickets how many tickets it is for
	 * @param amount how much was paid
	 * @param settledBy the instance that paid
	 * @param settledAt when
	 */
	public record Statement(int tickets, int amount, String settledBy, Instant settledAt) {
	}

}
