package io.lockstarter.verification.fence;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.verification.fence.Ledger.Totals;
import io.lockstarter.verification.fence.Teller.Outcomes;
import io.lockstarter.verification.fence.Teller.Way;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Two instances of a bank in this JVM, whose locks are continuously force-released.
 */
final class Branches implements AutoCloseable {

	private static final int CUSTOMERS = 3;

	private static final int TELLERS = 4;

	private static final int LONGEST_PAUSE_NANOS = 6_000_000;

	private static final int ACTIONS = 20;

	/** Number of the disturbances among {@code ACTIONS} that remove a key. */
	private static final int KEY_REMOVALS = 3;

	private final Ledger ledger;

	private final List<RedisServer> servers;

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	private final Outcomes outcomes = new Outcomes();

	private volatile boolean open = true;

	/**
	 * Starts both instances.
	 * @param isolation the isolation of transactions, as the pool names it
	 * @param servers the number of Redis servers, of which a majority grants locks
	 */
	Branches(DataSource database, String isolation, int servers) {
		this.ledger = new Ledger(database, CUSTOMERS);
		this.ledger.open();
		this.servers = Stream.generate(RedisServer::start).limit(servers).toList();
		List<String> properties = new ArrayList<>(
				List.of("distributed-lock.wait-time=2s", "distributed-lock.lease-time=5s"));
		if (servers > 1) {
			properties.add("distributed-lock.quorum.nodes=" + this.servers.stream()
				.map((server) -> String.format(Locale.ROOT, "redis://%s:%d", server.host(), server.port()))
				.collect(Collectors.joining(",")));
		}
		for (int i = 0; i < 2; i++) {
			this.instances.add(BankApplication.start(database, isolation, this.servers.get(0).port(),
					properties.toArray(String[]::new)));
		}
	}

	/** Works until the totals match. */
	Audit.Report work(List<Way> ways, Predicate<Totals> enough) {
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (ConfigurableApplicationContext instance : this.instances) {
			for (int i = 0; i < TELLERS; i++) {
				threads.add(start(new Teller(instance.getBean(Bank.class), instance.getBean(TransactionTemplate.class),
						ways, CUSTOMERS, threads.size(), () -> this.open, this.outcomes)));
			}
		}
		threads.add(start(this::forceReleaseLocks));
		Audit audit = new Audit(this.ledger);
		try {
			audit.until(enough.or((totals) -> threads.stream().anyMatch(CompletableFuture::isDone)));
		}
		finally {
			this.open = false;
		}
		threads.forEach(CompletableFuture::join);
		return audit.report(this.outcomes);
	}

	Outcomes outcomes() {
		return this.outcomes;
	}

	private static CompletableFuture<Void> start(Runnable work) {
		return CompletableFuture.runAsync(work, (task) -> new Thread(task).start());
	}

	private void forceReleaseLocks() {
		Random random = new Random(1);
		LockMonitor monitor = this.instances.get(0).getBean(LockMonitor.class);
		while (this.open) {
			LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NANOS));
			String lock = Bank.LOCK + ":" + random.nextInt(CUSTOMERS);
			int way = random.nextInt(ACTIONS);
			// A quorum treats servers that have lost their data as restarted
			if (way > KEY_REMOVALS || this.servers.size() > 1) {
				forceRelease(monitor, lock);
			}
			else if (way > 0) {
				this.servers.get(0).cli("DEL", "lock:{" + lock + "}");
			}
			else {
				this.servers.get(0).cli("FLUSHALL");
			}
		}
	}

	private void forceRelease(LockMonitor monitor, String lock) {
		try {
			monitor.forceRelease(lock);
		}
		catch (LockBackendException ex) {
			this.outcomes.add("not released: " + ex.getClass().getSimpleName());
		}
	}

	@Override
	public void close() {
		this.instances.forEach(ConfigurableApplicationContext::close);
		this.servers.forEach(RedisServer::close);
	}

}
