package io.lockstarter.verification.history.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

import io.lockstarter.verification.history.nemesis.FaultClass.Lane;
import io.lockstarter.verification.history.recording.Span;

/**
 * Fault injector for a stage, with one lane for processes and another for Redis and the
 * network.
 */
public final class Nemesis {

	/** Shortest pause between two faults of a lane: 50 ms. */
	private static final int SHORTEST_PAUSE_MILLIS = 50;

	/** Limit on the duration of a fault: one sixth of the whole time. */
	private static final int SHARE = 6;

	private final Stage stage;

	private final Duration longestPause;

	private final Queue<FaultEvent> events = new ConcurrentLinkedQueue<>();

	/**
	 * Creates an injector.
	 * @param stage the stage
	 * @param longestPause the longest pause between two faults of a lane
	 */
	public Nemesis(Stage stage, Duration longestPause) {
		this.stage = stage;
		this.longestPause = longestPause;
	}

	/**
	 * Injects faults for some time, each at least once if the time is long enough. All
	 * faults are repaired when this method returns.
	 * @param time the duration
	 * @return the injected faults
	 */
	public List<FaultEvent> strike(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		return strike(() -> System.nanoTime() - end >= 0, time.dividedBy(SHARE));
	}

	/**
	 * Injects faults until a condition holds. All faults are repaired when this method
	 * returns.
	 * @param over the condition
	 * @param longest the limit on the duration of faults that are measured in seconds
	 * @return the injected faults
	 */
	public List<FaultEvent> strike(BooleanSupplier over, Duration longest) {
		List<CompletableFuture<Void>> lanes = new ArrayList<>();
		for (Lane lane : Lane.values()) {
			lanes.add(CompletableFuture.runAsync(() -> strike(lane, over, longest),
					(task) -> new Thread(task, lane.name()).start()));
		}
		lanes.forEach(CompletableFuture::join);
		this.stage.awaitStarted();
		return List.copyOf(this.events);
	}

	/**
	 * Waits for some time without faults.
	 * @param time the duration
	 */
	public static void rest(Duration time) {
		Strikes.pause(time.toNanos());
	}

	private void strike(Lane lane, BooleanSupplier over, Duration longest) {
		Random random = new Random(this.stage.scenario().seed() * 31 + lane.name().hashCode());
		Strikes strikes = new Strikes(this.stage, random, longest);
		List<FaultClass> bag = new ArrayList<>();
		while (!over.getAsBoolean()) {
			Strikes.pause(
					Duration.ofMillis(SHORTEST_PAUSE_MILLIS).toNanos() + random.nextLong(this.longestPause.toNanos()));
			if (bag.isEmpty()) {
				bag.addAll(shuffled(lane, random));
			}
			strike(bag.remove(0), strikes);
		}
	}

	/** Returns each kind once in random order, followed by all kinds by weight. */
	private List<FaultClass> shuffled(Lane lane, Random random) {
		List<FaultClass> once = new ArrayList<>(FaultClass.of(lane, this.stage.scenario().topology()));
		List<FaultClass> weighted = new ArrayList<>();
		once.forEach((fault) -> weighted.addAll(Collections.nCopies(fault.weight() - 1, fault)));
		Collections.shuffle(once, random);
		Collections.shuffle(weighted, random);
		once.addAll(weighted);
		return once;
	}

	private void strike(FaultClass fault, Strikes strikes) {
		long begin = System.nanoTime();
		try {
			int jvm = fault.strike().at(strikes);
			this.events.add(new FaultEvent(fault, new Span(begin, System.nanoTime()), jvm));
		}
		catch (Strikes.MissedException ex) {
			// The fault had no target, and does not count
		}
	}

}
