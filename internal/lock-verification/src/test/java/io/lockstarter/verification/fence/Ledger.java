package io.lockstarter.verification.fence;

import java.util.stream.IntStream;

import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Accounts of a bank, two for each customer. Each row has a version, which is read and
 * written back like the balance. The database counts writes and lost updates. A lost
 * update is a write over a version that the writer has not read.
 */
final class Ledger {

	/** Initial balance of each account. */
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

	/** Reads the totals of all accounts at one instant. */
	Totals totals() {
		return this.jdbc.sql("SELECT SUM(balance), SUM(version), SUM(written), SUM(lost) FROM account")
			.query((row, number) -> new Totals(row.getLong(1) - BALANCE * ACCOUNTS_OF_CUSTOMER * this.customers,
					row.getLong(2), row.getLong(3), row.getLong(4)))
			.single();
	}

	/**
	 * Totals of all accounts.
	 *
	 * @param gain the surplus of money, negative if money is missing
	 * @param versions the sum of the versions
	 * @param written the number of committed writes
	 * @param lost the number of lost updates
	 */
	record Totals(long gain, long versions, long written, long lost) {

		/**
		 * Returns the number of committed transactions, each of which writes two
		 * accounts.
		 */
		long commits() {
			return this.written / 2;
		}

		boolean isRight() {
			return this.gain == 0 && this.lost == 0 && this.versions == this.written;
		}

	}

}
