package io.lockstarter.sample.experiments;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import jakarta.annotation.PostConstruct;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells tickets by reading how many are sold, and writing back one more. Beside that the
 * database counts what is committed, so that a lost ticket shows.
 */
@Component
class TicketOffice {

	/** Name of the locks, before the experiment. */
	static final String LOCK = "ticket-office";

	/** Fixed lease of a sale, which ends while the seller freezes. */
	static final String LEASE = "2s";

	private static final String PATIENCE = "60s";

	private final JdbcClient jdbc;

	TicketOffice(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@PostConstruct
	void open() {
		for (Experiment experiment : new Experiment[] { Experiment.UNFENCED, Experiment.FENCED }) {
			try {
				this.jdbc.sql("insert into sales (office, sold, committed) values (?, 0, 0)")
					.param(experiment.id())
					.update();
			}
			catch (DuplicateKeyException ex) {
				// Opened by another instance, or by an earlier run
			}
		}
	}

	/**
	 * Sells a ticket under a lock whose lease may end meanwhile.
	 * @param meanwhile what happens between reading and writing
	 * @throws InterruptedException if the thread is interrupted
	 */
	@Transactional
	@DistributedLock(name = LOCK, key = "'unfenced'", leaseTime = LEASE, waitTime = PATIENCE)
	public void sell(Meanwhile meanwhile) throws InterruptedException {
		sell(Experiment.UNFENCED, meanwhile);
	}

	/**
	 * Does the same, but the database refuses to commit if others have got the lock.
	 * @param meanwhile what happens between reading and writing
	 * @throws InterruptedException if the thread is interrupted
	 */
	@Transactional
	@DistributedLock(name = LOCK, key = "'fenced'", leaseTime = LEASE, waitTime = PATIENCE, fenced = true)
	public void sellFenced(Meanwhile meanwhile) throws InterruptedException {
		sell(Experiment.FENCED, meanwhile);
	}

	private void sell(Experiment experiment, Meanwhile meanwhile) throws InterruptedException {
		long sold = this.jdbc.sql("select sold from sales where office = ?")
			.param(experiment.id())
			.query(Long.class)
			.single();
		meanwhile.run(LockContext.current(), sold + 1);
		this.jdbc.sql("update sales set sold = ?, committed = committed + 1 where office = ?")
			.params(sold + 1, experiment.id())
			.update();
	}

	/**
	 * Returns how many tickets were lost, which only happens without a fence.
	 * @param experiment the experiment
	 * @return the number of sales that were committed, and are not among the tickets sold
	 */
	long lost(Experiment experiment) {
		return this.jdbc.sql("select committed - sold from sales where office = ?")
			.param(experiment.id())
			.query(Long.class)
			.single();
	}

	/**
	 * What happens between reading and writing.
	 */
	@FunctionalInterface
	interface Meanwhile {

		/**
		 * Does it.
		 * @param lock the hold
		 * @param number number of the ticket, as far as the seller has read
		 */
		void run(LockHandle lock, long number) throws InterruptedException;

	}

}
