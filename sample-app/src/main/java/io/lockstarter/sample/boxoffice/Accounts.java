package io.lockstarter.sample.boxoffice;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.NoSuchElementException;

import io.lockstarter.annotation.DistributedLock;
import jakarta.annotation.PostConstruct;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Customers' money. It moves, but its sum stays.
 */
@Service
public class Accounts {

	private static final List<String> CUSTOMERS = List.of("ann", "bob", "cem");

	private static final int OPENING_BALANCE = 100;

	private final JdbcClient jdbc;

	private final Paperwork paperwork;

	Accounts(JdbcClient jdbc, Paperwork paperwork) {
		this.jdbc = jdbc;
		this.paperwork = paperwork;
	}

	@PostConstruct
	void open() {
		CUSTOMERS.forEach(this::open);
	}

	/**
	 * Return all accounts.
	 * @return the accounts, ordered by customer
	 */
	public List<Account> all() {
		return this.jdbc.sql("select customer, balance from account order by customer").query(Accounts::account).list();
	}

	/**
	 * Move money. The lock is taken before the transaction begins and released after it
	 * has committed, so the next holder reads what this one wrote.
	 * @param from who pays
	 * @param to who is paid
	 * @param amount how much
	 * @throws InvalidOrderException if the amount is not positive, or the accounts are
	 * one
	 * @throws InsufficientFundsException if the payer does not have that much
	 */
	@DistributedLock(name = "accounts")
	@Transactional
	public void transfer(String from, String to, int amount) {
		if (amount <= 0 || from.equals(to)) {
			throw new InvalidOrderException("A transfer needs a positive amount and two different accounts.");
		}
		int source = balance(from);
		int target = balance(to);
		if (source < amount) {
			throw new InsufficientFundsException(from, source, amount);
		}
		this.paperwork.fillIn();
		write(from, source - amount);
		write(to, target + amount);
	}

	/**
	 * Give everybody the opening balance again.
	 */
	@DistributedLock(name = "accounts")
	@Transactional
	public void reopen() {
		CUSTOMERS.forEach((customer) -> write(customer, OPENING_BALANCE));
	}

	private void open(String customer) {
		try {
			this.jdbc.sql("insert into account (customer, balance) values (?, ?)")
				.params(customer, OPENING_BALANCE)
				.update();
		}
		catch (DuplicateKeyException ex) {
			// Opened by another instance, or by an earlier run
		}
	}

	private int balance(String customer) {
		return this.jdbc.sql("select balance from account where customer = ?")
			.param(customer)
			.query(Integer.class)
			.optional()
			.orElseThrow(() -> new NoSuchElementException("There is no account of %s.".formatted(customer)));
	}

	private void write(String customer, int balance) {
		this.jdbc.sql("update account set balance = ? where customer = ?").params(balance, customer).update();
	}

	private static Account account(ResultSet row, int number) throws SQLException {
		return new Account(row.getString("customer"), row.getInt("balance"));
	}

	/**
	 * One customer's money.
	 *
	 * @param customer the customer
	 * @param balance the money
	 */
	public record Account(String customer, int balance) {
	}

}
