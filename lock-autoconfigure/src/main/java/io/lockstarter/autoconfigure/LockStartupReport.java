package io.lockstarter.autoconfigure;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import io.lockstarter.aop.LockAdvisor;
import io.lockstarter.core.Durations;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Report about the backend in the log, with warnings about dangerous settings. It is
 * created on a separate thread, so the start of the application does not depend on it.
 */
final class LockStartupReport implements ApplicationListener<ApplicationReadyEvent> {

	private static final Log logger = LogFactory.getLog(LockStartupReport.class);

	private final @Nullable String registry;

	private final DistributedLockProperties properties;

	private final @Nullable ObjectProvider<LockAdvisor> advisor;

	private final Supplier<Findings> survey;

	/**
	 * Creates the report about a backend.
	 * @param advisor the advisor that counts locked methods, if proxies lock them
	 * @param survey inspects the backend and may block
	 */
	LockStartupReport(DistributedLockProperties properties, ObjectProvider<LockAdvisor> advisor,
			Supplier<Findings> survey) {
		this(null, properties, advisor, survey);
	}

	/**
	 * Creates the report about the backend of a further registry.
	 * @param registry the name of the registry
	 * @param survey inspects the backend and may block
	 */
	LockStartupReport(String registry, DistributedLockProperties properties, Supplier<Findings> survey) {
		this(registry, properties, null, survey);
	}

	private LockStartupReport(@Nullable String registry, DistributedLockProperties properties,
			@Nullable ObjectProvider<LockAdvisor> advisor, Supplier<Findings> survey) {
		this.registry = registry;
		this.properties = properties;
		this.advisor = advisor;
		this.survey = survey;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		try {
			LockThreads.daemon("lock-startup-report", () -> report(event.getApplicationContext())).start();
		}
		catch (OutOfMemoryError ex) {
			logger.debug("No thread could be started to inspect the backend of locks", ex);
		}
	}

	private void report(ConfigurableApplicationContext application) {
		if (this.registry == null) {
			UnknownProperties.in(application.getEnvironment())
				.forEach((unknown) -> logger.warn("The property %s is unknown and has no effect%s; did you mean %s?"
					.formatted(unknown.name(), unknown.origin(), unknown.nearest())));
		}
		try {
			Findings findings = this.survey.get();
			logger.info("Distributed locks%s in %s; key prefix '%s', lease %s, wait %s%s".formatted(ofRegistry(),
					findings.backend(), this.properties.keyPrefix(), Durations.exact(this.properties.leaseTime()),
					Durations.exact(this.properties.waitTime()), lockedMethods()));
			findings.warnings().forEach(logger::warn);
		}
		catch (RuntimeException ex) {
			// An application that ends at once, such as a job, has closed its
			// connections.
			if (!application.isClosed()) {
				logger.warn("Distributed locks%s cannot be acquired until their backend is available: %s"
					.formatted(ofRegistry(), OneLine.of(String.valueOf(reasonOf(ex)))));
			}
			logger.debug("Inspecting the backend failed", ex);
		}
	}

	private String ofRegistry() {
		return (this.registry != null) ? " of registry '%s'".formatted(this.registry) : "";
	}

	private String lockedMethods() {
		LockAdvisor known = (this.advisor != null) ? this.advisor.getIfAvailable() : null;
		int count = (known != null) ? known.lockedMethods() : 0;
		return (count > 0) ? "; locked methods: " + count : "";
	}

	private static @Nullable String reasonOf(RuntimeException failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof LockBackendException known) ? known.detail() : cause.getMessage();
	}

	/**
	 * Findings of the inspection.
	 *
	 * @param backend the description of the backend
	 * @param warnings the warnings about dangerous settings
	 */
	record Findings(String backend, List<String> warnings) {

		static final Findings IN_MEMORY = new Findings("this JVM only, not shared with other instances", List.of());

	}

}
