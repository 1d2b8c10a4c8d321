package io.lockstarter.autoconfigure.woven;

import io.lockstarter.testing.ChildJvm;

/**
 * Runs the scenarios that it is told, in a JVM with a weaver.
 */
public final class WovenApplication {

	private WovenApplication() {
	}

	public static void main(String[] args) throws InterruptedException {
		ChildJvm.exitWithParent(WovenApplication::run);
		System.out.println("ready");
		Thread.currentThread().join();
	}

	private static void run(String name) {
		try {
			Scenario.valueOf(name).run();
			System.out.println(name + " passed");
		}
		catch (Throwable ex) {
			ex.printStackTrace(System.out);
			System.out.println(name + " failed: " + ex);
		}
	}

}
