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
 * Sale of tickets that reads the number of sold tickets and writes back that number plus
 * one. The database also counts the commits, so that lost tickets can be detected.
 */
@Component
class TicketOffice {

	/** Prefix of the names of the locks. */
	static final String LOCK = "ticket-office";

	/** Fixed lease of a sale, which expires while the seller freezes. */
	static final String LEASE = "2s";

	private static final String WAIT_TIME = "60s";

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
	 * Sells a ticket under a lock whose lease may expire before the commit.
	 * @param pause the action between reading and writing
	 * @throws InterruptedException if the thread is interrupted
	 */
	@Transactional
	@DistributedLock(name = LOCK, key = "'unfenced'", leaseTime = LEASE, waitTime = WAIT_TIME)
	public void sell(Pause pause) throws InterruptedException {
		sell(Experiment.UNFENCED, pause);
	}

	/**
	 * Sells a ticket. The database refuses to commit if others have acquired the lock.
	 * @param pause the action between reading and writing
	 * @throws InterruptedException if the thread is interrupted
	 */
	@Transactional
	@DistributedLock(name = LOCK, key = "'fenced'", leaseTime = LEASE, waitTime = WAIT_TIME, fenced = true)
	public void sellFenced(Pause pause) throws InterruptedException {
		sell(Experiment.FENCED, pause);
	}

	private void sell(Experiment experiment, Pause pause) throws InterruptedException {
		long sold = this.jdbc.sql("select sold from sales where office = ?")
			.param(experiment.id())
			.query(Long.class)
			.single();
		pause.run(LockContext.current(), sold + 1);
		this.jdbc.sql("update sales set sold = ?, committed = committed + 1 where office = ?")
			.params(sold + 1, experiment.id())
			.update();
	}

	/**
	 * Returns the number of lost tickets, which is always 0 with a fence.
	 * @param experiment the experiment
	 * @return the number of committed sales that are missing from the number of sold
	 * tickets
	 */
	long lost(Experiment experiment) {
		return this.jdbc.sql("select committed - sold from sales where office = ?")
			.param(experiment.id())
			.query(Long.class)
			.single();
	}

	/**
	 * Action between reading and writing.
	 */
	@FunctionalInterface
	interface Pause {

		/**
		 * Runs the action.
		 * @param lock the hold
		 * @param number the number of the ticket, according to the data that the seller
		 * has read
		 */
		void run(LockHandle lock, long number) throws InterruptedException;

	}

}
