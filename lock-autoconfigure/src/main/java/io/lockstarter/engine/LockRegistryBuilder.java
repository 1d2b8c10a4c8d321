package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import org.jspecify.annotations.Nullable;

/**
 * Builder of lock registries, for applications without Spring Boot and for registries
 * that no property describes:
 *
 * <pre class="code">
 * RedisLockBackend backend = new RedisLockBackend(connectionFactory, "lock:", Duration.ofMinutes(10));
 * DefaultLockRegistry registry = LockRegistryBuilder.of(backend).instance("orders-1").build();
 * </pre>
 *
 * Settings that are omitted have the defaults of the properties of the same names, except
 * for the instance. Close the registry before the backend, and both before the connection
 * factory. Not thread-safe.
 */
public final class LockRegistryBuilder {

	private final LockBackend backend;

	private final List<LockListener> listeners = new ArrayList<>();

	private final List<LockObserver> observers = new ArrayList<>();

	private String instance;

	private Duration waitTime = Duration.ofSeconds(10);

	private Duration leaseTime = Duration.ofSeconds(30);

	private @Nullable Duration maxHoldTime;

	private boolean interruptOnLoss;

	private int handoverLimit = 64;

	private int callbackThreads = 64;

	private boolean sendsReleases;

	private CallerContext callerContext = CallerContext.NONE;

	private Registries registries = Registries.ONE;

	private LockRegistryBuilder(LockBackend backend) {
		this.backend = backend;
		this.instance = "jvm-" + ProcessHandle.current().pid();
	}

	/**
	 * Creates a builder.
	 * @param backend the store of the locks, for this registry only; closing the registry
	 * does not close it
	 * @return a builder
	 */
	public static LockRegistryBuilder of(LockBackend backend) {
		return new LockRegistryBuilder(backend);
	}

	/**
	 * Sets the name under which other instances see the holders of this one.
	 * @param instance the name; by default {@code jvm-} with the number of the process
	 * @return this builder
	 */
	public LockRegistryBuilder instance(String instance) {
		this.instance = instance;
		return this;
	}

	/**
	 * Sets the wait time of requests that omit it.
	 * @param waitTime the wait time, zero to try once; by default 10 s
	 * @return this builder
	 */
	public LockRegistryBuilder waitTime(Duration waitTime) {
		this.waitTime = waitTime;
		return this;
	}

	/**
	 * Sets the lease of locks that are renewed while they are held.
	 * @param leaseTime the lease, from 100 ms to 365 days; by default 30 s
	 * @return this builder
	 */
	public LockRegistryBuilder leaseTime(Duration leaseTime) {
		this.leaseTime = leaseTime;
		return this;
	}

	/**
	 * Sets the time for which a lock is renewed.
	 * @param maxHoldTime the time, not shorter than the lease; by default a lock is
	 * renewed for as long as it is held
	 * @return this builder
	 */
	public LockRegistryBuilder maxHoldTime(Duration maxHoldTime) {
		this.maxHoldTime = maxHoldTime;
		return this;
	}

	/**
	 * Enables interrupting a thread that loses its lock.
	 * @return this builder
	 */
	public LockRegistryBuilder interruptOnLoss() {
		this.interruptOnLoss = true;
		return this;
	}

	/**
	 * Lets a thread that releases a lock go on once the release is sent, instead of
	 * waiting for the backend's reply. A loss that only the release discovers is then
	 * reported to listeners, and not by an exception.
	 * @return this builder
	 */
	public LockRegistryBuilder sendReleases() {
		this.sendsReleases = true;
		return this;
	}

	/**
	 * Sets how often in a row a lock is handed over within this instance while another
	 * instance waits for it.
	 * @param handoverLimit the number, or 0 to disable hand-over; by default 64
	 * @return this builder
	 */
	public LockRegistryBuilder handoverLimit(int handoverLimit) {
		this.handoverLimit = handoverLimit;
		return this;
	}

	/**
	 * Sets how many threads run callbacks of asynchronous requests. On Java 24 and later,
	 * these threads are virtual and their number is not limited.
	 * @param callbackThreads the number, at least 1; by default 64
	 * @return this builder
	 */
	public LockRegistryBuilder callbackThreads(int callbackThreads) {
		this.callbackThreads = callbackThreads;
		return this;
	}

	/**
	 * Adds a listener, which is called after the listeners that were added before.
	 * @param listener the listener
	 * @return this builder
	 */
	public LockRegistryBuilder listener(LockListener listener) {
		this.listeners.add(listener);
		return this;
	}

	/**
	 * Adds an observer, which is called after the observers that were added before.
	 * @param observer the observer
	 * @return this builder
	 */
	public LockRegistryBuilder observer(LockObserver observer) {
		this.observers.add(observer);
		return this;
	}

	/**
	 * Sets the context that callbacks of asynchronous requests inherit from the
	 * requesting thread.
	 * @param callerContext the context; by default callbacks inherit nothing
	 * @return this builder
	 */
	public LockRegistryBuilder callerContext(CallerContext callerContext) {
		this.callerContext = callerContext;
		return this;
	}

	/**
	 * Makes the registry one of several, which a request selects by
	 * {@link LockRequest#registry}.
	 * @param registries the name of the registry, and access to the others; by default
	 * there is only one
	 * @return this builder
	 */
	public LockRegistryBuilder registries(Registries registries) {
		this.registries = registries;
		return this;
	}

	/**
	 * Opens the registry.
	 * @return the registry, which the caller has to close
	 * @throws IllegalArgumentException if a setting is out of its range
	 */
	public DefaultLockRegistry build() {
		EngineSettings settings = new EngineSettings(this.instance, this.waitTime, this.leaseTime, this.maxHoldTime,
				this.interruptOnLoss, this.handoverLimit, this.callbackThreads);
		return new DefaultLockRegistry(this.backend, this.sendsReleases ? settings.sendReleases() : settings,
				this.listeners, this.observers, this.callerContext, this.registries);
	}

}
