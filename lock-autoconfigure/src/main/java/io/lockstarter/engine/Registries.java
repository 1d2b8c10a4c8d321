package io.lockstarter.engine;

import java.util.Collection;
import java.util.TreeSet;
import java.util.function.Function;

import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;
import org.jspecify.annotations.Nullable;

/**
 * What a registry is called among several, and where the others are.
 *
 * @param own its name, or {@code null} if there is only one
 * @param others finds another one by its name, or throws {@link IllegalArgumentException}
 */
public record Registries(@Nullable String own, Function<String, LockRegistry> others) {

	/** There is only one. */
	public static final Registries ONE = new Registries(null, (name) -> {
		throw new IllegalArgumentException(
				"There is no lock registry '%s', but only one, which requests need not name".formatted(name));
	});

	/** The registry that a request is for, or {@code null} if it is this one. */
	@Nullable LockRegistry other(LockRequest request) {
		String wanted = request.registry();
		return (wanted == null || wanted.equals(this.own)) ? null : this.others.apply(wanted);
	}

	/** The registry that several requests are for, or {@code null} if it is this one. */
	@Nullable LockRegistry other(Collection<LockRequest> requests) {
		TreeSet<String> wanted = new TreeSet<>();
		for (LockRequest request : requests) {
			String name = own(request).registry();
			wanted.add((name != null) ? name : LockRequest.DEFAULT_REGISTRY);
		}
		if (wanted.size() > 1) {
			throw new IllegalArgumentException(
					"Locks of several registries, %s, cannot be taken as one: take them one after the other, always in the same order"
						.formatted(OneLine.of(String.join(", ", wanted))));
		}
		return requests.isEmpty() ? null : other(requests.iterator().next());
	}

	/**
	 * Returns the request with the name of this registry, if that is one of several.
	 * @throws IllegalArgumentException if the request is fenced: only work that the
	 * registry runs can be
	 */
	LockRequest own(LockRequest request) {
		if (request.isFenced()) {
			throw new IllegalArgumentException(
					"A request for lock '%s' cannot be fenced here, where nobody would verify its token: use LockRegistry.execute, or omit fenced() and call register and verify of io.lockstarter.fence.Fence with the handle"
						.formatted(OneLine.of(request.name())));
		}
		return (this.own != null && request.registry() == null) ? request.registry(this.own) : request;
	}

}
