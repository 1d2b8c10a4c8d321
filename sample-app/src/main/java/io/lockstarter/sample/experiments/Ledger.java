package io.lockstarter.sample.experiments;

import jakarta.annotation.PostConstruct;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * A store that is fenced: it refuses whoever comes with a lower token than one it has
 * seen.
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
	 * Write an entry in place of the last one.
	 * @param entry the entry
	 * @param token the fencing token of the lock under which it is written
	 * @return whether it was written; otherwise the token is too low
	 */
	boolean write(String entry, long token) {
		return this.jdbc.sql("update ledger set entry = ?, token = ? where id = 1 and token <= ?")
			.params(entry, token, token)
			.update() == 1;
	}

}
