package io.lockstarter.contract;

import java.time.Duration;

import io.lockstarter.engine.EngineSettings;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a registry under test. The system property {@value #HANDOVER_LIMIT} says
 * whether it hands locks over: whatever else is promised must hold in both ways.
 */
public final class Settings {

	static final String HANDOVER_LIMIT = "lockstarter.test.handover.limit";

	private Settings() {
	}

	/** The argument that gives a child JVM the hand-over limit of this test run. */
	public static String jvmArgument() {
		return "-D%s=%d".formatted(HANDOVER_LIMIT, limit());
	}

	private static int limit() {
		return Integer.getInteger(HANDOVER_LIMIT, 64);
	}

	/** Settings with the hand-over limit of this test run. */
	public static EngineSettings of(String instance, Duration waitTime, Duration leaseTime) {
		return of(instance, waitTime, leaseTime, null, false);
	}

	/** Settings with the hand-over limit of this test run. */
	public static EngineSettings of(String instance, Duration waitTime, Duration leaseTime,
			@Nullable Duration maxHoldTime, boolean interruptOnLoss) {
		return new EngineSettings(instance, waitTime, leaseTime, maxHoldTime, interruptOnLoss, limit());
	}

}
