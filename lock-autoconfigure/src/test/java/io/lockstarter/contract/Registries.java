package io.lockstarter.contract;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import io.lockstarter.core.LockListener;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The registries of a test, which are opened before it and closed after it. Subclasses
 * say on what backend they work, and with which chapters of the contract.
 */
public abstract class Registries implements TwoRegistries {

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	private final List<Actor> actors = new ArrayList<>();

	private final Events events = new Events();

	private final String name = "contract-" + System.nanoTime();

	private DefaultLockRegistry one;

	private DefaultLockRegistry two;

	/** A further client of the same place. */
	protected abstract LockBackend newBackend();

	/** End what newBackend() has opened beyond the backends. */
	protected void disconnect() throws Exception {
	}

	@BeforeEach
	void open() {
		this.one = open(Settings.of("instance-1", WAIT, LEASE), this.events);
		this.two = open(Settings.of("instance-2", WAIT, LEASE));
	}

	@AfterEach
	void close() throws Exception {
		this.actors.forEach(Actor::dismiss);
		for (AutoCloseable closeable : this.opened) {
			closeable.close();
		}
		disconnect();
	}

	@Override
	public final DefaultLockRegistry open(EngineSettings settings, LockListener... listeners) {
		LockBackend backend = newBackend();
		this.opened.push(backend);
		backend.connect().join();
		DefaultLockRegistry registry = new DefaultLockRegistry(backend, settings, List.of(listeners));
		this.opened.push(registry);
		return registry;
	}

	@Override
	public final Actor actor() {
		Actor actor = new Actor();
		this.actors.add(actor);
		return actor;
	}

	@Override
	public final String name() {
		return this.name;
	}

	@Override
	public final DefaultLockRegistry one() {
		return this.one;
	}

	@Override
	public final DefaultLockRegistry two() {
		return this.two;
	}

	@Override
	public final Events events() {
		return this.events;
	}

}
