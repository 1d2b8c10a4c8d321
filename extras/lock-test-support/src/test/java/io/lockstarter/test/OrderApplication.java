package io.lockstarter.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockType;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

/**
 * An application of a user.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ OrderApplication.OrderService.class, OrderApplication.Losses.class })
class OrderApplication {

	static class OrderService {

		@DistributedLock(key = "#id")
		String ship(String id) {
			return "shipped " + id;
		}

		@DistributedLock(key = "#id", onTimeout = OnTimeout.SKIP, waitTime = "0")
		String shipOrSkip(String id) {
			return "shipped " + id;
		}

		@DistributedLock(name = "stock", type = LockType.READ)
		int stock() {
			return 1;
		}

		@DistributedLock(name = "crawler", permits = "3", leaseTime = "1m")
		void crawl() {
		}

		@DistributedLock(name = "account", key = "#ids")
		void transfer(List<String> ids) {
		}

		@DistributedLock(key = "#id")
		CompletableFuture<String> shipLater(String id) {
			return CompletableFuture.supplyAsync(() -> "shipped " + id);
		}

		@DistributedLock(key = "#id")
		Mono<String> shipReactively(String id) {
			return Mono.fromSupplier(() -> "shipped " + id);
		}

		@DistributedLock(name = "report", leaseTime = "10m")
		Duration report(Runnable work) {
			work.run();
			return LockContext.current().remainingLease();
		}

		@DistributedLock(name = "export")
		Duration export(Runnable work) {
			work.run();
			return LockContext.current().remainingLease();
		}

		String unlocked(String id) {
			return "shipped " + id;
		}

	}

	static class Losses {

		private final BlockingQueue<LockLoss> all = new LinkedBlockingQueue<>();

		@EventListener
		void lost(LockLoss loss) {
			this.all.add(loss);
		}

		BlockingQueue<LockLoss> all() {
			return this.all;
		}

	}

}
