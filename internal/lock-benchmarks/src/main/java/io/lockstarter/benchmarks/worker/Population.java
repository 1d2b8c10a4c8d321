package io.lockstarter.benchmarks.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.lockstarter.benchmarks.contender.Contender;
import io.lockstarter.benchmarks.contender.Mutex;

/**
 * Large number of locks, each held by one of a few threads.
 */
public final class Population {

	/** Prefix of the names of held locks. */
	public static final String NAMES = "held-";

	/** Number of threads that hold locks. */
	public static final int THREADS = 8;

	private final List<Holder> holders;

	private Population(List<Holder> holders) {
		this.holders = holders;
	}

	/** Acquires a number of locks. */
	static Population hold(Contender contender, int locks) throws InterruptedException, ExecutionException {
		List<Holder> holders = new ArrayList<>();
		List<Future<?>> taken = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			Holder holder = new Holder(new ArrayList<>(), Executors.newSingleThreadExecutor());
			int first = i;
			holders.add(holder);
			taken.add(holder.thread().submit(() -> holder.take(contender, first, locks)));
		}
		for (Future<?> done : taken) {
			done.get();
		}
		return new Population(holders);
	}

	/** Acquires and releases many locks, one after the other in each thread. */
	static int visit(Contender contender, Visit visit) throws InterruptedException, ExecutionException {
		ExecutorService threads = Executors.newFixedThreadPool(visit.threads());
		try {
			List<Callable<Integer>> visits = new ArrayList<>();
			for (int i = 0; i < visit.threads(); i++) {
				int first = i;
				visits.add(() -> visitEach(contender, first, visit));
			}
			int visited = 0;
			for (Future<Integer> done : threads.invokeAll(visits)) {
				visited += done.get();
			}
			return visited;
		}
		finally {
			threads.shutdown();
		}
	}

	private static int visitEach(Contender contender, int first, Visit visit) throws InterruptedException {
		int visited = 0;
		for (int i = first; i < visit.locks(); i += visit.threads()) {
			Mutex mutex = contender.mutex(visit.names() + i);
			mutex.lock();
			mutex.unlock();
			visited++;
		}
		return visited;
	}

	/** Returns the number of held locks according to the contender. */
	long countHeld() throws InterruptedException, ExecutionException {
		long held = 0;
		for (Holder holder : this.holders) {
			held += holder.thread().submit(holder::countHeld).get();
		}
		return held;
	}

	/**
	 * Thread with its locks.
	 */
	private record Holder(List<Mutex> locks, ExecutorService thread) {

		Void take(Contender contender, int first, int end) throws InterruptedException {
			for (int i = first; i < end; i += THREADS) {
				Mutex mutex = contender.mutex(NAMES + i);
				mutex.lock();
				this.locks.add(mutex);
			}
			return null;
		}

		long countHeld() {
			return this.locks.stream().filter(Mutex::isHeld).count();
		}

	}

}
