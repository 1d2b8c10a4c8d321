package io.lockstarter.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Health;
import io.lockstarter.engine.command.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Whether locks can be had: the backend takes writes, and leases are renewed.
 */
final class RegistryHealth {

	private final String instance;

	private final Commands commands;

	private final LocalView local;

	RegistryHealth(String instance, Commands commands, LocalView local) {
		this.instance = instance;
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
		long failing = this.local.held()
			.stream()
			.filter((held) -> held.renewal() == LockMonitor.RenewalState.FAILING)
			.count();
		details.put("renewalsFailing", failing);
		if (findings == null) {
			Throwable cause = (failure != null) ? Commands.cause(failure) : null;
			details.put("error", (cause != null) ? String.valueOf(cause.getMessage()) : "no answer");
			return new Health(false, details);
		}
		details.putAll(findings);
		return new Health(failing == 0 && !isSubscriptionBroken(findings), details);
	}

	/** Where messages are refused, locks work without. */
	private static boolean isSubscriptionBroken(Map<String, Object> findings) {
		return "down".equals(findings.get("subscription"))
				&& !String.valueOf(findings.get("messages")).startsWith("refused");
	}

}
