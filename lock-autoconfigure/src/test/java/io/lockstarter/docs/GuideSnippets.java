package io.lockstarter.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.Holder;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.NamedReadWriteLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.LockRegistryBuilder;
import io.lockstarter.reactor.ReactorLocks;
import io.lockstarter.redis.RedisLockBackend;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The code that README.md, docs/guide.md and the pages of docs/reference show.
 */
class GuideSnippets {

	private final LockRegistry registry;

	private final Ledger ledger = new Ledger();

	private final Client client = new Client();

	private final Store store = new Store();

	/** The types of the locks that were held when prices were published. */
	final List<LockType> published = new ArrayList<>();

	GuideSnippets(LockRegistry registry) {
		this.registry = registry;
	}

	void locks(String from, String to, String data) throws InterruptedException {
		LockRegistry registry = this.registry;
		Store store = this.store;
		NamedLock lock = registry.get("report");
		if (lock.tryLock(2, TimeUnit.SECONDS)) {
			try {
				print();
			}
			finally {
				lock.unlock();
			}
		}
		try (LockHandle export = registry
			.acquire(LockRequest.of("export").metricName("export").leaseTime(Duration.ofMinutes(1)))) {
			store.write(data, export.fencingToken());
		}
		registry.execute(LockRequest.of("report"), () -> print());
		registry.acquireAsync(LockRequest.of("import"));
		registry.acquire(LockRequest.of("prices").type(LockType.READ));
		registry.acquireAll(List.of(LockRequest.of(from), LockRequest.of(to)));
	}

	@Bean(defaultCandidate = false)
	RedisConnectionFactory distributedLockConnectionFactory() {
		return new LettuceConnectionFactory("redis-of-locks", 6379);
	}

	CompletableFuture<Receipt> execute(String order) throws InterruptedException {
		LockRegistry registry = this.registry;
		Ledger ledger = this.ledger;
		Client client = this.client;
		String report = "report";
		LockRequest request = LockRequest.of("order-42").metricName("order");
		Receipt receipt = registry.execute(request, () -> ledger.book(order));
		CompletableFuture<Receipt> sent = registry.executeAsync(request, () -> client.send(order));
		registry.execute(LockRequest.of("report").metricName("report").waitTime(Duration.ofSeconds(2)),
				() -> write(report));
		return sent.thenApply((other) -> receipt);
	}

	void commitUnderTheLock(TransactionTemplate transactions, String order) throws InterruptedException {
		LockRegistry registry = this.registry;
		Ledger ledger = this.ledger;
		registry.execute(LockRequest.of("order-42").metricName("order"),
				() -> transactions.execute((status) -> ledger.book(order)));
	}

	void export() throws InterruptedException {
		LockRegistry registry = this.registry;
		registry.execute(LockRequest.of("export").metricName("export"), () -> print());
	}

	void readWrite() {
		LockRegistry registry = this.registry;
		NamedReadWriteLock prices = registry.readWriteLock("prices");
		prices.writeLock().lock();
		try {
			update();
			prices.readLock().lock();
		}
		finally {
			prices.writeLock().unlock();
		}
		try {
			publish();
		}
		finally {
			prices.readLock().unlock();
		}
		registry.get(LockRequest.of("prices").type(LockType.READ));
	}

	String ask() {
		LockRegistry registry = this.registry;
		NamedLock lock = registry.get("report");
		boolean busy = lock.isLocked();
		Optional<Duration> rest = lock.remainingLeaseOfHolder();
		return busy + " " + rest;
	}

	void catchAll(Runnable work) {
		try {
			work.run();
		}
		// @formatter:off
		catch (LockException | LockNotHeldException ex) { report(ex); }
		// @formatter:on
	}

	void handOver(Executor executor) throws InterruptedException {
		LockRegistry registry = this.registry;
		LockHandle lock = registry
			.acquire(LockRequest.of("import").metricName("import").owner(LockOwner.create("import")));
		executor.execute(() -> {
			try (lock) {
				load();
			}
		});
	}

	List<Mono<Receipt>> reactive(String order) {
		LockRegistry registry = this.registry;
		LockRequest request = LockRequest.of("order-42").metricName("order").waitTime(Duration.ZERO);
		// @formatter:off
		ReactorLocks locks = new ReactorLocks(registry);
		Mono<Receipt> receipt = locks.withLock(LockRequest.of("order-42").metricName("order"), ship(order));
		Mono<Receipt> orLater = locks.tryWithLock(request, ship(order), Mono.just(Receipt.later(order)));
		Mono<Receipt> fenced = ReactorLocks.current()
			.flatMap((lock) -> ship(order, lock.fencingToken()))
			.transform((work) -> locks.withLock(request, work));
		// @formatter:on
		return List.of(receipt, orLater, fenced);
	}

	static DefaultLockRegistry build(RedisConnectionFactory connectionFactory) {
		RedisLockBackend backend = new RedisLockBackend(connectionFactory, "lock:", Duration.ofMinutes(10));
		DefaultLockRegistry registry = LockRegistryBuilder.of(backend).instance("orders-1").build();
		return registry;
	}

	List<Holder> force() {
		LockMonitor monitor = (LockMonitor) this.registry;
		List<Holder> former = monitor.forceRelease("report");
		return former;
	}

	CompletableFuture<Receipt> continued(String order) {
		Ledger ledger = this.ledger;
		Client client = this.client;
		LockContext context = LockContext.capture();
		return client.send(order).thenApply((reply) -> {
			try (LockContext.Scope scope = context.restore()) {
				return ledger.book(reply);
			}
		});
	}

	private Mono<Receipt> ship(String order) {
		return Mono.just(new Receipt(order));
	}

	private Mono<Receipt> ship(String order, long token) {
		return Mono.just(new Receipt(order + ((token > 0) ? " fenced" : "")));
	}

	private void report(RuntimeException failure) {
		this.store.write(String.valueOf(failure.getMessage()), 0);
	}

	private void update() {
	}

	private void publish() {
		((LockMonitor) this.registry).held().forEach((lock) -> this.published.add(lock.type()));
	}

	private void print() {
	}

	private void write(String report) {
	}

	private void load() {
	}

	record Receipt(String order) {

		static Receipt later(String id) {
			return new Receipt(id + " later");
		}

	}

	@Service
	public class OrderService {

		@DistributedLock(key = "#orderId")
		public Receipt bill(String orderId) {
			return new Receipt(orderId);
		}

		@DistributedLock(key = "#orderId", waitTime = "2s")
		@Transactional
		public Receipt ship(String orderId) {
			return new Receipt(orderId);
		}

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(name = "nightly", waitTime = "0", holdAtLeast = "1m", onTimeout = OnTimeout.SKIP)
		public void nightly() {
		}

		@DistributedLock(key = "#order.id", type = LockType.FAIR)
		public void inOrder(Order order) {
		}

		@DistributedLock(key = "{#from, #to}")
		public void move(String from, String to) {
		}

		record Order(String id) {
		}

	}

	static class Keys {

		@DistributedLock(key = "#order.customer.id")
		public void ship(Object order) {
		}

		@DistributedLock(key = "@tenants.of(#id)")
		public void open(String id) {
		}

		@DistributedLock(key = "{#from, #to}", waitTime = "2s")
		public void transfer(String from, String to) {
		}

		@DistributedLock(key = "#orders.![id]")
		public void shipAll(List<Object> orders) {
		}

	}

	static class Fallbacks {

		@DistributedLock(key = "#id", waitTime = "1s", fallback = "busy")
		public Receipt ship(String id) {
			return new Receipt(id);
		}

		Receipt busy(String id, LockAcquisitionTimeoutException ex) {
			return Receipt.later(id);
		}

	}

	static class Jobs {

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(name = "settlement", waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "30s")
		public void settle() {
		}

	}

	private static final class Ledger {

		Receipt book(String order) {
			return new Receipt(order);
		}

		Receipt book(Receipt receipt) {
			return receipt;
		}

	}

	private static final class Client {

		CompletableFuture<Receipt> send(String order) {
			return CompletableFuture.completedFuture(new Receipt(order));
		}

	}

	private static final class Store {

		void write(String data, long token) {
		}

	}

	static class Permits {

		@DistributedLock(name = "render", permits = "4")
		void render() {
		}

		@DistributedLock(name = "import", key = "#tenant.id", permits = "#tenant.parallelism")
		void importAll(Tenant tenant) {
		}

		@DistributedLock(name = "report", permits = "${report.parallel:2}", onTimeout = OnTimeout.SKIP)
		void report() {
		}

	}

	record Tenant(String id, int parallelism) {
	}

}
