package io.lockstarter.sample.experiments;

import jakarta.annotation.PostConstruct;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Fenced store, which refuses writes with a lower token than one that it has seen.
 */
@Component
class Ledger {

	private final JdbcClient jdbc;

	Ledger(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@PostConstruct
	void open() {
		try {
			this.jdbc.sql("insert into ledger (id, token, entry) values (1, 0, '')").update();
		}
		catch (DuplicateKeyException ex) {
			// Opened by another instance, or by an earlier run
		}
	}

	/**
	 * Replaces the entry.
	 * @param entry the entry
	 * @param token the fencing token of the lock under which the entry is written
	 * @return whether the entry was written; otherwise the token is too low
	 */
	boolean write(String entry, long token) {
		return this.jdbc.sql("update ledger set entry = ?, token = ? where id = 1 and token <= ?")
			.params(entry, token, token)
			.update() == 1;
	}

}
