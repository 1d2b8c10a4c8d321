package io.lockstarter.verification.fence;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.verification.fence.Teller.Outcomes;
import io.lockstarter.verification.fence.Teller.Way;
import io.lockstarter.verification.history.worker.Worker;
import io.lockstarter.verification.history.worker.Worker.Request;
import io.lockstarter.verification.history.worker.WorkerOrder;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * JVM with an instance of a bank. A file beside its history contains the database and the
 * protection of transactions. The history contains the outcomes of calls.
 */
public final class BankWorker {

	private static final String FILE = "bank.txt";

	private static final int WRITTEN_DOWN_MILLIS = 200;

	private final WorkerOrder order;

	private final ConfigurableApplicationContext application;

	private final Outcomes outcomes = new Outcomes();

	private final List<Thread> threads = new ArrayList<>();

	private final List<CompletableFuture<Void>> ends = new ArrayList<>();

	private volatile boolean open = true;

	private BankWorker(WorkerOrder order, PGSimpleDataSource database) {
		this.order = order;
		this.application = BankApplication.start(database, "TRANSACTION_READ_COMMITTED", order.port(),
				"distributed-lock.wait-time=2s",
				"distributed-lock.lease-time=" + order.renewedLease().toMillis() + "ms");
	}

	/** Writes the settings for the workers of a folder. */
	static void prepare(Path folder, PGSimpleDataSource database, List<Way> ways) throws IOException {
		List<String> lines = new ArrayList<>(List.of(database.getUrl(), String.valueOf(database.getUser())));
		ways.forEach((way) -> lines.add(way.name()));
		Files.write(folder.resolve(FILE), lines);
	}

	public static void main(String[] arguments) throws IOException, InterruptedException {
		PrintStream out = System.out;
		WorkerOrder order = WorkerOrder.of(arguments);
		List<String> lines = Files.readAllLines(order.history().resolveSibling(FILE));
		PGSimpleDataSource database = new PGSimpleDataSource();
		database.setUrl(lines.get(0));
		database.setUser(lines.get(1));
		BankWorker worker = start(order, database);
		ExecutorService executor = Executors.newSingleThreadExecutor();
		ChildJvm.exitWithParent((line) -> executor.execute(() -> out.println(Worker.REPLY + worker.reply(line))));
		worker.begin(lines.stream().skip(2).map(Way::valueOf).toList());
		out.println(Worker.REPLY + "ready");
		new CountDownLatch(1).await();
	}

	private static BankWorker start(WorkerOrder order, PGSimpleDataSource database) {
		try {
			return new BankWorker(order, database);
		}
		catch (RuntimeException ex) {
			// Spring Boot assumes that the exception was logged, but nothing is logged
			// here
			ex.printStackTrace(System.out);
			throw ex;
		}
	}

	private void begin(List<Way> ways) {
		Executors.newSingleThreadScheduledExecutor()
			.scheduleWithFixedDelay(this::writeDown, WRITTEN_DOWN_MILLIS, WRITTEN_DOWN_MILLIS, TimeUnit.MILLISECONDS);
		for (int i = 0; i < this.order.threads(); i++) {
			Teller teller = new Teller(this.application.getBean(Bank.class),
					this.application.getBean(TransactionTemplate.class), ways, this.order.keys().size(),
					this.order.seed() * 31 + i, () -> this.open, this.outcomes);
			this.ends.add(CompletableFuture.runAsync(teller, (task) -> {
				Thread thread = new Thread(task, "teller-" + this.threads.size());
				this.threads.add(thread);
				thread.start();
			}));
		}
	}

	private String reply(String line) {
		try {
			return switch (Request.valueOf(line)) {
				case INTERRUPT -> interrupt();
				case FORCE_RELEASE -> forceRelease();
				case FINISH -> finish();
				default -> throw new IllegalArgumentException(line);
			};
		}
		catch (RuntimeException | Error ex) {
			return "failed " + ex + Arrays.toString(ex.getStackTrace());
		}
	}

	private String interrupt() {
		this.threads.forEach(Thread::interrupt);
		return "interrupted";
	}

	private String forceRelease() {
		List<String> keys = this.order.keys();
		String key = keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
		try {
			return "released " + this.application.getBean(LockMonitor.class).forceRelease(key).size();
		}
		catch (LockBackendException ex) {
			return "released nothing: " + ex.getMessage();
		}
	}

	private String finish() {
		this.open = false;
		this.ends.forEach(CompletableFuture::join);
		writeDown();
		return "finished ";
	}

	/** Writes the outcomes of calls atomically, because this JVM may be killed. */
	private synchronized void writeDown() {
		Path file = this.order.history();
		try {
			Path made = Files.writeString(file.resolveSibling(file.getFileName() + ".made"), this.outcomes.toString());
			Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
