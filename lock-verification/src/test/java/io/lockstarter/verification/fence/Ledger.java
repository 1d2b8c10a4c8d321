package io.lockstarter.verification.fence;

import java.util.stream.IntStream;

import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The accounts of a bank, two to a customer. Each row has a version, which is read and
 * written back like the balance. The database itself counts what is written, and what is
 * written over a version that the writer has not read: a lost update.
 */
final class Ledger {

	/** Balance of each account at first. */
	static final long BALANCE = 1000;

	static final int ACCOUNTS_OF_CUSTOMER = 2;

	private final JdbcClient jdbc;

	private final int customers;

	Ledger(DataSource database, int customers) {
		this.jdbc = JdbcClient.create(database);
		this.customers = customers;
	}

	void open() {
		this.jdbc.sql("""
				CREATE TABLE account (id INT PRIMARY KEY, customer INT NOT NULL, balance BIGINT NOT NULL,
					version BIGINT NOT NULL, written BIGINT NOT NULL, lost BIGINT NOT NULL)""").update();
		IntStream.range(0, this.customers * ACCOUNTS_OF_CUSTOMER)
			.forEach((id) -> this.jdbc.sql("INSERT INTO account VALUES (?, ?, ?, 0, 0, 0)")
				.params(id, id / ACCOUNTS_OF_CUSTOMER, BALANCE)
				.update());
	}

	/** Reads all accounts as they are at one instant. */
	Totals totals() {
		return this.jdbc.sql("SELECT SUM(balance), SUM(version), SUM(written), SUM(lost) FROM account")
			.query((row, number) -> new Totals(row.getLong(1) - BALANCE * ACCOUNTS_OF_CUSTOMER * this.customers,
					row.getLong(2), row.getLong(3), row.getLong(4)))
			.single();
	}

	/**
	 * What all accounts say together.
	 *
	 * @param gain money that has come from nowhere, negative if some has gone
	 * @param versions sum of the versions
	 * @param written number of writes that were committed
	 * @param lost number of writes that were committed over others, which their writers
	 * had not seen
	 */
	record Totals(long gain, long versions, long written, long lost) {

		/** Number of transactions that were committed: each writes two accounts. */
		long commits() {
			return this.written / 2;
		}

		boolean isRight() {
			return this.gain == 0 && this.lost == 0 && this.versions == this.written;
		}

	}

}
