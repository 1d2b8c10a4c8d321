package io.lockstarter.benchmarks.contender;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks of the JVM itself, which exclude no other JVM.
 */
final class InProcess implements Contender {

	private final Map<String, Lock> locks = new ConcurrentHashMap<>();

	static Contender start(Setup setup) {
		return new InProcess();
	}

	@Override
	public Mutex mutex(String name) {
		return new JavaLockMutex(this.locks.computeIfAbsent(name, (key) -> new ReentrantLock()));
	}

	@Override
	public void close() {
	}

}
