package io.lockstarter.engine.lock;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;

/**
 * What a {@link LockMachine} consists of, by name.
 */
public final class MachineParts {

	private MachineParts() {
	}

	/** The states. */
	public static Set<String> states() {
		return names(permitted(RemoteState.class));
	}

	/** The events: what is called with a moment. */
	public static Set<String> events() {
		return Arrays.stream(LockMachine.class.getDeclaredMethods())
			.filter((method) -> !Modifier.isPrivate(method.getModifiers()) && !method.isSynthetic()
					&& List.of(method.getParameterTypes()).contains(Moment.class))
			.map(Method::getName)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/** The effects of each kind. */
	public static Map<String, Set<String>> effects() {
		Map<String, Set<String>> effects = new TreeMap<>();
		permitted(Effect.class).forEach((kind) -> effects.put(kind.getSimpleName(), names(permitted(kind))));
		return effects;
	}

	private static Stream<Class<?>> permitted(Class<?> sealed) {
		if (!sealed.isSealed()) {
			throw new AssertionError(sealed + " is not sealed");
		}
		return Arrays.stream(sealed.getPermittedSubclasses());
	}

	private static Set<String> names(Stream<Class<?>> classes) {
		return classes.map(Class::getSimpleName).collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * The effects of a request, its answer, the release and the answer to that, while
	 * nobody else wants the lock.
	 */
	public static List<List<String>> effectsOfAnUncontendedCall() {
		Moment now = new Moment(1_000_000_000, 1000);
		LockMachine machine = new LockMachine(null, null,
				new MachineTerms("one", 64, Duration.ofMillis(500), true, true), () -> new TenureId("one", 1));
		List<List<String>> all = new ArrayList<>();
		machine.request(new WalkWaiter("a", LockRequest.of("name").waitTime(LockRequest.FOREVER), LockOwner.create("a"),
				Duration.ofSeconds(30), true, now), null, now);
		Effect.SendAcquire question = take(machine, all, Effect.SendAcquire.class);
		machine.answered(question, new LockBackend.Granted(1, false), now, now);
		Effect.Grant grant = take(machine, all, Effect.Grant.class);
		machine.unlock(grant.hold(), null, now);
		Effect.SendRelease release = take(machine, all, Effect.SendRelease.class);
		machine.released(release, new Release.Reply(Release.Outcome.RELEASED, OptionalLong.empty()), null, now, now);
		take(machine, all, Effect.Retire.class);
		return all;
	}

	private static <T extends Effect> T take(LockMachine machine, List<List<String>> all, Class<T> sought) {
		List<Effect> effects = machine.takeEffects();
		all.add(effects.stream().map((effect) -> effect.getClass().getSimpleName()).toList());
		return effects.stream().filter(sought::isInstance).map(sought::cast).findFirst().orElseThrow();
	}

}
