package io.lockstarter.contract;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import static org.awaitility.Awaitility.await;

/**
 * A thread that does as it is told, one step after the other. Its interrupt flag is clear
 * at the start of each step.
 */
public final class Actor implements AutoCloseable {

	/** Longer than any step of a test takes unless something is wrong. */
	public static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final AtomicInteger COUNT = new AtomicInteger();

	private final Thread thread;

	private final ExecutorService executor;

	public Actor() {
		Thread[] made = new Thread[1];
		this.executor = Executors.newSingleThreadExecutor((steps) -> {
			made[0] = new Thread(steps, "actor-" + COUNT.incrementAndGet());
			made[0].setDaemon(true);
			return made[0];
		});
		run(() -> {
		});
		this.thread = made[0];
	}

	/** Do a step and wait for its end. */
	public void run(Step step) {
		resultOf(begin(step));
	}

	/** Do a step and wait for its answer. */
	public <T> T call(Callable<T> step) {
		return resultOf(ask(step));
	}

	/** Begin a step. */
	public Future<?> begin(Step step) {
		return this.executor.submit(() -> {
			step.run();
			return null;
		});
	}

	/** Begin a step that answers. */
	public <T> Future<T> ask(Callable<T> step) {
		return this.executor.submit(step);
	}

	public Thread thread() {
		return this.thread;
	}

	public void interrupt() {
		this.thread.interrupt();
	}

	/** Let the thread end after its latest step. */
	@Override
	public void close() {
		this.executor.shutdown();
		await().until(() -> !this.thread.isAlive());
	}

	/** End the thread whatever it does. */
	public void dismiss() {
		this.executor.shutdownNow();
	}

	/** The answer of a step, or what it threw. */
	public static <T> T resultOf(Future<T> step) {
		return resultOf(step, PATIENCE);
	}

	static <T> T resultOf(Future<T> step, Duration patience) {
		try {
			return step.get(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			throw Actor.<RuntimeException>unchecked(ex.getCause());
		}
		catch (InterruptedException | TimeoutException ex) {
			throw new AssertionError("A step did not end", ex);
		}
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> E unchecked(Throwable failure) throws E {
		throw (E) failure;
	}

	/**
	 * What an actor does.
	 */
	@FunctionalInterface
	public interface Step {

		void run() throws Exception;

	}

}
