package io.lockstarter.engine;

import java.util.Collection;
import java.util.TreeSet;
import java.util.function.Function;

import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;
import org.jspecify.annotations.Nullable;

/**
 * Name of one registry among several, with access to the others.
 *
 * @param own its name, or {@code null} if there is only one registry
 * @param others returns another registry by its name, or throws
 * {@link IllegalArgumentException}
 */
public record Registries(@Nullable String own, Function<String, LockRegistry> others) {

	/** Registries of an application that has only one. */
	public static final Registries ONE = new Registries(null, (name) -> {
		throw new IllegalArgumentException(
				"Lock registry '%s' does not exist: there is only one registry, so omit its name".formatted(name));
	});

	/**
	 * Returns the registry that a request selects, or {@code null} if it selects this
	 * one.
	 */
	@Nullable LockRegistry other(LockRequest request) {
		String selected = request.registry();
		return (selected == null || selected.equals(this.own)) ? null : this.others.apply(selected);
	}

	/**
	 * Returns the registry that several requests select, or {@code null} if they select
	 * this one.
	 */
	@Nullable LockRegistry other(Collection<LockRequest> requests) {
		TreeSet<String> selected = new TreeSet<>();
		for (LockRequest request : requests) {
			String name = own(request).registry();
			selected.add((name != null) ? name : LockRequest.DEFAULT_REGISTRY);
		}
		if (selected.size() > 1) {
			throw new IllegalArgumentException(
					"Locks of several registries, %s, cannot be acquired together: acquire them one after the other, always in the same order"
						.formatted(OneLine.of(String.join(", ", selected))));
		}
		return requests.isEmpty() ? null : other(requests.iterator().next());
	}

	/**
	 * Returns the request with the name of this registry, if this is one of several.
	 * @throws IllegalArgumentException if the request is fenced, because only work that
	 * the registry runs can be fenced
	 */
	LockRequest own(LockRequest request) {
		if (request.isFenced()) {
			throw new IllegalArgumentException(
					"A request for lock '%s' cannot be fenced here, because its token would not be verified: use LockRegistry.execute, or omit fenced() and call register and verify of io.lockstarter.fence.Fence with the handle"
						.formatted(OneLine.of(request.name())));
		}
		return (this.own != null && request.registry() == null) ? request.registry(this.own) : request;
	}

}
