package io.lockstarter.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;

/**
 * A backend in memory that counts its commands, of which some can be kept without an
 * answer, or be refused by an error.
 */
final class HangingBackend {

	private final Map<String, AtomicInteger> commands = new ConcurrentHashMap<>();

	private final Map<String, Thread> threads = new ConcurrentHashMap<>();

	private final LockBackend backend;

	/** The command that stays without an answer. */
	volatile String hanging = "";

	/** The command for which no thread can be had. */
	volatile String failing = "";

	HangingBackend(InMemoryLockStore store) {
		LockBackend memory = new InMemoryLockBackend(store);
		this.backend = (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> {
					String name = method.getName();
					count(name).incrementAndGet();
					this.threads.put(name, Thread.currentThread());
					if (name.equals(this.failing)) {
						throw new OutOfMemoryError("unable to create native thread");
					}
					if (name.equals(this.hanging)) {
						return new CompletableFuture<>();
					}
					try {
						return method.invoke(memory, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	LockBackend backend() {
		return this.backend;
	}

	/** How often a command was sent. */
	AtomicInteger count(String command) {
		return this.commands.computeIfAbsent(command, (name) -> new AtomicInteger());
	}

	/** The thread that sent the last of these commands. */
	Thread thread(String command) {
		return Objects.requireNonNull(this.threads.get(command));
	}

}
