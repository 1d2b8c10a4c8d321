package io.lockstarter.autoconfigure.woven;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import kotlin.coroutines.Continuation;
import reactor.core.publisher.Mono;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Methods that no proxy could lock. Each tells the lock under which it runs.
 */
public class Shop {

	final CompletableFuture<String> delivery = new CompletableFuture<>();

	String own(String id) {
		return ship(id);
	}

	@DistributedLock(name = "ship", key = "#id")
	public String ship(String id) {
		return held();
	}

	String hidden() {
		return secret();
	}

	@DistributedLock(name = "secret")
	private String secret() {
		return held();
	}

	@DistributedLock(name = "last")
	public final String last() {
		return held();
	}

	@DistributedLock(name = "common", key = "#id")
	static String common(String id) {
		return held();
	}

	@ForShops
	public String composed() {
		return held();
	}

	String twice(String id) {
		return nested(id);
	}

	@DistributedLock(name = "ship", key = "#id")
	private String nested(String id) {
		return ship(id);
	}

	@DistributedLock(name = "later")
	public CompletableFuture<String> later() {
		return this.delivery.thenApply((word) -> word);
	}

	@DistributedLock(name = "reactive")
	public Mono<String> reactive() {
		return Mono.fromSupplier(Shop::held);
	}

	String skipped() {
		return skip();
	}

	@DistributedLock(name = "busy", waitTime = "0", onTimeout = OnTimeout.SKIP)
	private String skip() {
		return held();
	}

	String answered() {
		return answer("me");
	}

	@DistributedLock(name = "busy", waitTime = "0", fallback = "busy")
	private String answer(String who) {
		return held();
	}

	private String busy(String who) {
		return "busy, " + who;
	}

	/** The names of the locks in force, with those taken again once only. */
	private static String held() {
		List<String> names = new ArrayList<>();
		LockContext.find().map(LockHandle::name).ifPresent(names::add);
		return String.join(" ", names);
	}

	/**
	 * An annotation made of the annotation.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "composed")
	@interface ForShops {

	}

	/**
	 * A class whose methods are all locked.
	 */
	@DistributedLock(name = "all")
	public static class Depot {

		public String store() {
			return held();
		}

		@Override
		public String toString() {
			return "depot" + held();
		}

	}

	/**
	 * Its annotation is out of the weaver's sight.
	 */
	public interface Seen {

		@DistributedLock
		void run();

	}

	/**
	 * A class with an annotation of its interface only.
	 */
	public static class Unseen implements Seen {

		@Override
		public void run() {
		}

	}

	/**
	 * A method that knows nothing of the interface that it implements.
	 */
	public static class Inherited {

		public void run() {
		}

	}

	/**
	 * A class that implements an annotated method with one that it inherits.
	 */
	public static class UnseenInheriting extends Inherited implements Seen {

	}

	/**
	 * A class that others see only through its subclass.
	 */
	abstract static class Hidden {

		@DistributedLock(name = "hidden")
		public String work() {
			return held();
		}

	}

	/**
	 * A class with a bridge to an annotated method.
	 */
	public static class Bridged extends Hidden {

	}

	/**
	 * A class with a job that another instance may run again.
	 */
	public static class Job {

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(name = "job", waitTime = "0", onTimeout = OnTimeout.SKIP)
		private void run() {
		}

	}

	/**
	 * A class with a suspend function, as Java sees it.
	 */
	public static class Suspending {

		@DistributedLock
		public Object run(Continuation<? super String> caller) {
			return "run";
		}

	}

}
