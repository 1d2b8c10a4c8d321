package io.lockstarter.autoconfigure.woven;

import io.lockstarter.annotation.DistributedLock;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * A bean with a proxy for its transactions, and a lock woven into it.
 */
public class Accounts {

	private final JdbcTemplate jdbc;

	public Accounts(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	@Transactional
	@DistributedLock(name = "accounts")
	public void insert() {
		this.jdbc.update("insert into account values (1)");
	}

}
