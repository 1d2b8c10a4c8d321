package io.lockstarter.fresh;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.ChildJvm;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;

/**
 * Application without any configuration of the page. Its parent process sends commands as
 * lines: {@code hold <name> <thread> [registry]},
 * {@code share <name> <thread> <permits>}, {@code free <thread>}, or
 * {@code crowd <locks> <waiting>} to send acquire requests for many locks.
 */
@SpringBootApplication
public class FreshApplication {

	/** Latches that the threads wait for before they release their locks, by thread. */
	private static final Map<String, CountDownLatch> ENDS = new ConcurrentHashMap<>();

	@SuppressWarnings("SystemOut") // for the parent
	public static void main(String[] args) {
		ApplicationContext application = SpringApplication.run(FreshApplication.class, args);
		LockRegistry locks = application.getBean(LockRegistry.class);
		ChildJvm.exitWithParent((line) -> {
			String[] words = line.split(" ");
			switch (words[0]) {
				case "hold" -> hold(locks, request(words), words[2]);
				case "share" -> hold(locks, request(words[1]).permits(Integer.parseInt(words[3])), words[2]);
				case "free" -> end(words[1]).countDown();
				case "crowd" -> crowd(locks, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
				default -> throw new IllegalArgumentException(line);
			}
		});
		System.out.println("Ready on port " + application.getEnvironment().getProperty("local.server.port"));
	}

	private static void crowd(LockRegistry locks, int names, int waiting) {
		for (int i = 0; i < Math.max(names, waiting); i++) {
			persist(locks,
					LockRequest.of("crowd:" + i % names).owner(LockOwner.create("task")).waitTime(LockRequest.FOREVER));
		}
	}

	/** Acquires a lock, and tries again after failures on an overloaded machine. */
	private static void persist(LockRegistry locks, LockRequest request) {
		locks.acquireAsync(request).whenComplete((lock, failure) -> {
			if (failure != null) {
				CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(() -> persist(locks, request));
			}
		});
	}

	private static LockRequest request(String[] words) {
		return (words.length > 3) ? request(words[1]).registry(words[3]) : request(words[1]);
	}

	private static LockRequest request(String name) {
		return LockRequest.of(name).waitTime(LockRequest.FOREVER);
	}

	private static void hold(LockRegistry locks, LockRequest request, String thread) {
		new Thread(() -> {
			// The thread has to run, because the lock of an ended thread is not renewed
			try (LockHandle lock = locks.acquire(request)) {
				end(thread).await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, thread).start();
	}

	private static CountDownLatch end(String thread) {
		return ENDS.computeIfAbsent(thread, (name) -> new CountDownLatch(1));
	}

}
