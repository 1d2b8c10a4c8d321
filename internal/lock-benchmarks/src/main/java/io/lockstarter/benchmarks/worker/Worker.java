package io.lockstarter.benchmarks.worker;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import io.lockstarter.benchmarks.contender.Contender;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.contender.Mutex;
import io.lockstarter.benchmarks.contender.Setup;
import io.lockstarter.testing.ChildJvm;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * JVM in which a contender is measured. Receives requests as lines on its input, and
 * replies to each with a line.
 */
public final class Worker {

	/** Prefix of a reply. */
	public static final String REPLY = "reply ";

	/** Prefix of a failure. */
	public static final String FAILURE = "failure ";

	private final JsonMapper json = JsonMapper.shared();

	private final PrintStream out;

	private final Contender contender;

	private final Guards guards;

	private @Nullable Mutex held;

	private @Nullable Population population;

	private Worker(PrintStream out, Contender contender, Guards guards) {
		this.out = out;
		this.contender = contender;
		this.guards = guards;
	}

	/**
	 * Runs a worker until its parent exits.
	 * @param args contender, host of Redis and its ports with commas between, lease and
	 * retention in milliseconds, file of the guards
	 * @throws InterruptedException never
	 */
	public static void main(String[] args) throws InterruptedException {
		PrintStream out = System.out;
		Setup setup = new Setup(args[1], Stream.of(args[2].split(",")).map(Integer::valueOf).toList(),
				Duration.ofMillis(Long.parseLong(args[3])), Duration.ofMillis(Long.parseLong(args[4])));
		ExecutorService executor = Executors.newSingleThreadExecutor();
		try {
			Worker worker = new Worker(out, ContenderType.of(args[0]).start(setup), Guards.map(Path.of(args[5])));
			ChildJvm.exitWithParent((line) -> executor.execute(() -> worker.reply(line)));
			out.println(REPLY + "\"ready\"");
			new CountDownLatch(1).await();
		}
		catch (RuntimeException ex) {
			out.println(FAILURE + ex);
			Runtime.getRuntime().halt(1);
		}
	}

	private void reply(String line) {
		int space = line.indexOf(' ');
		Request request = Request.valueOf(line.substring(0, space));
		try {
			Object reply = reply(request, line.substring(space + 1));
			this.out.println(REPLY + this.json.writeValueAsString(reply));
		}
		catch (Throwable ex) {
			ex.printStackTrace();
			this.out.println(FAILURE + ex);
		}
	}

	private Object reply(Request request, String argument) throws Exception {
		return switch (request) {
			case ROUND -> new Round(this.contender, this.guards, read(argument, RoundOrder.class)).run();
			case LOCK -> lock(read(argument, String.class));
			case UNLOCK -> unlock();
			case HOLD -> hold(read(argument, Integer.class));
			case COUNT_HELD -> population().countHeld();
			case VISIT -> Population.visit(this.contender, read(argument, Visit.class));
			case USAGE -> Usage.now();
			case HEAP -> Heap.usedBytes();
			case REDIS_KEY -> this.contender.redisKey(read(argument, String.class));
		};
	}

	private <T> T read(String argument, Class<T> type) {
		return this.json.readValue(argument, type);
	}

	private long lock(String name) throws InterruptedException {
		Mutex mutex = this.contender.mutex(name);
		mutex.lock();
		long locked = System.nanoTime();
		this.held = mutex;
		return locked;
	}

	private long unlock() {
		Mutex mutex = this.held;
		if (mutex == null) {
			throw new IllegalStateException("No lock is held");
		}
		long before = System.nanoTime();
		mutex.unlock();
		this.held = null;
		return before;
	}

	private int hold(int locks) throws Exception {
		this.population = Population.hold(this.contender, locks);
		return locks;
	}

	private Population population() {
		Population current = this.population;
		if (current == null) {
			throw new IllegalStateException("No lock is held");
		}
		return current;
	}

	/**
	 * Request to a worker.
	 */
	public enum Request {

		/** Runs a round: {@link RoundOrder} to {@link RoundResult}. */
		ROUND,
		/** Acquires a lock, and replies with the time of the grant. */
		LOCK,
		/** Releases that lock, and replies with the time at which the release began. */
		UNLOCK,
		/** Acquires a number of locks and holds them. */
		HOLD,
		/** Replies with the number of held locks according to the contender. */
		COUNT_HELD,
		/** Acquires and releases many locks: {@link Visit} to their number. */
		VISIT,
		/** Replies with the {@link Usage} of this JVM. */
		USAGE,
		/** Collects garbage, and replies with the number of remaining bytes. */
		HEAP,
		/** Replies with the Redis key of a lock. */
		REDIS_KEY

	}

}
