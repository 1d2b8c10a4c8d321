package io.lockstarter.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Health;
import io.lockstarter.engine.command.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Health of a registry, which is up if the backend accepts writes and no renewal fails.
 */
final class RegistryHealth {

	private final String instance;

	private final Supplier<Map<String, String>> location;

	private final Commands commands;

	private final LocalView local;

	/**
	 * Creates the health of a registry.
	 * @param location returns the location of the backend by property name
	 */
	RegistryHealth(String instance, Supplier<Map<String, String>> location, Commands commands, LocalView local) {
		this.instance = instance;
		this.location = location;
		this.commands = commands;
		this.local = local;
	}

	String instance() {
		return this.instance;
	}

	CompletableFuture<Health> check() {
		return this.commands.probe().handle(this::health);
	}

	private Health health(@Nullable Map<String, Object> findings, @Nullable Throwable failure) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("instance", this.instance);
		List<LockMonitor.Held> held = this.local.held();
		long failing = held.stream().filter((lock) -> lock.renewal() == LockMonitor.RenewalState.FAILING).count();
		this.location.get().forEach((name, text) -> {
			if (!text.isEmpty()) {
				details.put(name, text);
			}
		});
		details.put("held", held.size());
		details.put("waiting", this.local.waitingCount());
		details.put("renewalsFailing", failing);
		if (findings == null) {
			Throwable cause = (failure != null) ? Commands.cause(failure) : null;
			details.put("error", (cause != null) ? String.valueOf(cause.getMessage()) : "no answer");
			return new Health(false, details);
		}
		details.putAll(findings);
		// Missing messages only delay locks, so they do not affect the status.
		return new Health(failing == 0, details);
	}

}
