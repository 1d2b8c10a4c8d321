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
 * Accounts of the customers. Transfers do not change the sum of all balances.
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
	 * Returns all accounts.
	 * @return the accounts, ordered by customer
	 */
	public List<Account> all() {
		return this.jdbc.sql("select customer, balance from account order by customer").query(Accounts::account).list();
	}

	/**
	 * Transfers money. The lock is acquired before the transaction begins and released
	 * after it has committed, so the next holder reads the balances that this one wrote.
	 * @param from the customer who pays
	 * @param to the customer who is paid
	 * @param amount the amount
	 * @throws InvalidOrderException if the amount is not positive, or both customers are
	 * the same
	 * @throws InsufficientFundsException if the payer's balance is lower than the amount
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
	 * Resets all accounts to the opening balance.
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
	 * Account of one customer.
	 *
	 * @param customer the customer
	 * @param balance the balance
	 */
	public record Account(String customer, int balance) {
	}

}
