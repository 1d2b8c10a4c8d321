package io.lockstarter.fresh;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.ChildJvm;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;

/**
 * An application that says nothing about the page of its locks. Its parent tells it by
 * lines what to hold: {@code hold <name> <thread>} and {@code release <name>}.
 */
@SpringBootApplication
public class FreshApplication {

	@SuppressWarnings("SystemOut") // for the parent
	public static void main(String[] args) {
		ApplicationContext application = SpringApplication.run(FreshApplication.class, args);
		LockRegistry locks = application.getBean(LockRegistry.class);
		Map<String, LockHandle> held = new ConcurrentHashMap<>();
		ChildJvm.exitWithParent((line) -> {
			String[] words = line.split(" ");
			switch (words[0]) {
				case "hold" -> hold(locks, held, words[1], words[2]);
				case "release" -> held.remove(words[1]).releaseAsync();
				default -> throw new IllegalArgumentException(line);
			}
		});
		System.out.println("Ready on port " + application.getEnvironment().getProperty("local.server.port"));
	}

	private static void hold(LockRegistry locks, Map<String, LockHandle> held, String name, String thread) {
		new Thread(() -> {
			try {
				held.put(name, locks.acquire(LockRequest.of(name).waitTime(LockRequest.FOREVER)));
				// The lock of a thread that has ended is not renewed
				Thread.currentThread().join();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, thread).start();
	}

}
