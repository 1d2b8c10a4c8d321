package io.lockstarter.verification.fence;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.annotation.DistributedLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Service that moves money between accounts by reading, waiting and writing back. Only
 * locks protect the accounts.
 */
public class Bank {

	/** Prefix of the names of locks, before the number of a customer. */
	static final String LOCK = "customer";

	/** Limit on a short pause between reading and writing: 1 ms. */
	private static final int SHORT_THOUGHT_NANOS = 1_000_000;

	/** Limit on a long pause, within which the lock may be force-released: 30 ms. */
	private static final int LONG_THOUGHT_NANOS = 30_000_000;

	/** Ratio of all pauses to long ones. */
	private static final int SHORT_THOUGHTS = 16;

	/** Number of transactions that begin in one locked method. */
	private static final int IN_A_ROW = 4;

	private final JdbcClient jdbc;

	private final TransactionTemplate transaction;

	Bank(JdbcClient jdbc, TransactionTemplate transaction) {
		this.jdbc = jdbc;
		this.transaction = transaction;
	}

	@Transactional
	@DistributedLock(name = LOCK, key = "#customers", fenced = true)
	public void moveFenced(List<Integer> customers) {
		move(customers);
	}

	@DistributedLock(name = LOCK, key = "#customers", fenced = true)
	public void moveFencedInside(List<Integer> customers) {
		for (int i = 0; i < IN_A_ROW; i++) {
			this.transaction.executeWithoutResult((status) -> move(customers));
		}
	}

	@Transactional
	@DistributedLock(name = LOCK, key = "#customers")
	public void moveUnfenced(List<Integer> customers) {
		move(customers);
	}

	private void move(List<Integer> customers) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		List<Account> accounts = read(customers);
		boolean isLong = random.nextInt(SHORT_THOUGHTS) == 0;
		LockSupport.parkNanos(random.nextInt(isLong ? LONG_THOUGHT_NANOS : SHORT_THOUGHT_NANOS));
		int from = random.nextInt(accounts.size());
		int to = (from + 1 + random.nextInt(accounts.size() - 1)) % accounts.size();
		long amount = random.nextInt(100);
		// Ordered, so that no two transactions wait for each other
		write(accounts.get(Math.min(from, to)), amount);
		write(accounts.get(Math.max(from, to)), -amount);
	}

	/** Reads in the transaction of a caller before the lock is acquired. */
	void readBefore(int customer) {
		read(List.of(customer));
	}

	private List<Account> read(List<Integer> customers) {
		return this.jdbc.sql("SELECT id, balance, version FROM account WHERE customer IN (:customers) ORDER BY id")
			.param("customers", customers)
			.query(Account.class)
			.list();
	}

	private void write(Account account, long amount) {
		// MySQL assigns from left to right
		this.jdbc.sql(
				"UPDATE account SET lost = lost + CASE WHEN version = ? THEN 0 ELSE 1 END, written = written + 1, balance = ?, version = ? WHERE id = ?")
			.params(account.version(), account.balance() + amount, account.version() + 1, account.id())
			.update();
	}

	/**
	 * Account as it was read.
	 *
	 * @param id the number of the account
	 * @param balance the balance
	 * @param version the number of writes
	 */
	public record Account(int id, long balance, long version) {
	}

}
