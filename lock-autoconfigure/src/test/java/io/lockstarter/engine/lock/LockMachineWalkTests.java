package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The machine of a name, walked at random against a model of the server: whatever happens
 * in whatever order, what must always hold holds. A walk that finds something wrong is
 * shortened, and told as a story of events and effects.
 */
class LockMachineWalkTests {

	private static final int STEPS = 120;

	private static final long SEED = Long.getLong("walk.seed", 20261125L);

	@Test
	void findsNothingWrong() {
		walk(Integer.getInteger("walk.events", 300_000), SEED);
	}

	@Tag("stress")
	@Test
	void findsNothingWrongInTenMillionEvents() {
		walk(10_000_000, System.nanoTime());
	}

	private static void walk(long events, long seed) {
		long taken = 0;
		for (long number = 0; taken < events; number++) {
			LockWalk.Profile profile = LockWalk.Profile.of((int) (number % 420));
			List<LockWalk.Step> steps = LockWalk.steps(new Random(seed + number), STEPS);
			LockWalk walk = new LockWalk(profile, null);
			try {
				walk.run(steps);
			}
			catch (RuntimeException ex) {
				throw new AssertionError("Walk %d of seed %d%n%s".formatted(number, seed, story(profile, steps, ex)));
			}
			taken += walk.events();
		}
	}

	/** The shortest form of a walk that finds the same, as a story. */
	private static String story(LockWalk.Profile profile, List<LockWalk.Step> steps, RuntimeException found) {
		List<LockWalk.Step> shortest = shortened(profile, steps, kind(found));
		List<String> story = new ArrayList<>();
		RuntimeException again = run(profile, shortest, story);
		return "%s%n%s%n%s".formatted(profile, String.join("\n", story), again);
	}

	private static List<LockWalk.Step> shortened(LockWalk.Profile profile, List<LockWalk.Step> steps, String kind) {
		List<LockWalk.Step> shortest = new ArrayList<>(steps);
		for (int size = shortest.size() / 2; size > 0; size = (size == 1) ? 0 : (size + 1) / 2) {
			boolean shorter = true;
			while (shorter) {
				shorter = false;
				for (int from = 0; from < shortest.size(); from += size) {
					List<LockWalk.Step> less = new ArrayList<>(shortest.subList(0, from));
					less.addAll(shortest.subList(Math.min(from + size, shortest.size()), shortest.size()));
					RuntimeException found = run(profile, less, null);
					if (found != null && kind(found).equals(kind)) {
						shortest = less;
						shorter = true;
						from -= size;
					}
				}
			}
		}
		return shortest;
	}

	private static RuntimeException run(LockWalk.Profile profile, List<LockWalk.Step> steps, List<String> story) {
		try {
			new LockWalk(profile, story).run(steps);
			return null;
		}
		catch (RuntimeException ex) {
			return ex;
		}
	}

	private static String kind(RuntimeException found) {
		String text = String.valueOf(found);
		return text.substring(0, Math.min(60, text.length())).replaceAll("[AB]?\\d+", "#").replaceAll("[AB]\\b", "@");
	}

}
