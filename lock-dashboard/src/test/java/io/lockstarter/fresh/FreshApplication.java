package io.lockstarter.fresh;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.ChildJvm;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;

/**
 * An application that says nothing about the page of its locks. Its parent tells it by
 * lines what to do: {@code hold <name> <thread>}, or {@code crowd <locks> <waiting>} to
 * hold that many locks, or to wait for those that another instance holds.
 */
@SpringBootApplication
public class FreshApplication {

	@SuppressWarnings("SystemOut") // for the parent
	public static void main(String[] args) {
		ApplicationContext application = SpringApplication.run(FreshApplication.class, args);
		LockRegistry locks = application.getBean(LockRegistry.class);
		ChildJvm.exitWithParent((line) -> {
			String[] words = line.split(" ");
			switch (words[0]) {
				case "hold" -> hold(locks, words[1], words[2]);
				case "crowd" -> crowd(locks, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
				default -> throw new IllegalArgumentException(line);
			}
		});
		System.out.println("Ready on port " + application.getEnvironment().getProperty("local.server.port"));
	}

	private static void crowd(LockRegistry locks, int names, int waiting) {
		for (int i = 0; i < Math.max(names, waiting); i++) {
			locks.acquireAsync(
					LockRequest.of("crowd:" + i % names).owner(LockOwner.create("task")).waitTime(LockRequest.FOREVER));
		}
	}

	private static void hold(LockRegistry locks, String name, String thread) {
		new Thread(() -> {
			try {
				locks.acquire(LockRequest.of(name).waitTime(LockRequest.FOREVER));
				// The lock of a thread that has ended is not renewed
				Thread.currentThread().join();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, thread).start();
	}

}
