package io.lockstarter.sample.boxoffice;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Tickets in the database. The table deliberately has no unique constraint on the seat:
 * only the lock prevents a seat from being sold twice.
 */
@Component
public class Tickets {

	private final JdbcClient jdbc;

	Tickets(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Returns all tickets.
	 * @return all tickets, oldest first
	 */
	public List<Ticket> all() {
		return this.jdbc.sql("select seat, customer, sold_by, sold_at from ticket order by sold_at")
			.query(Tickets::ticket)
			.list();
	}

	Optional<Ticket> find(String seat) {
		return all().stream().filter((ticket) -> ticket.seat().equals(seat)).findFirst();
	}

	void add(Ticket ticket) {
		this.jdbc
			.sql("insert into ticket (id, seat, customer, sold_by, sold_at, settled) values (?, ?, ?, ?, ?, false)")
			.params(UUID.randomUUID().toString(), ticket.seat(), ticket.customer(), ticket.soldBy(),
					Timestamp.from(ticket.soldAt()))
			.update();
	}

	List<String> unsettled() {
		return this.jdbc.sql("select id from ticket where settled = false").query(Tickets::id).list();
	}

	void markSettled(List<String> ids) {
		this.jdbc.sql("update ticket set settled = true where id in (:ids)").param("ids", ids).update();
	}

	void clear() {
		this.jdbc.sql("delete from ticket").update();
	}

	private static String id(ResultSet row, int number) throws SQLException {
		return row.getString("id");
	}

	private static Ticket ticket(ResultSet row, int number) throws SQLException {
		return new Ticket(row.getString("seat"), row.getString("customer"), row.getString("sold_by"),
				row.getTimestamp("sold_at").toInstant());
	}

}
