package io.lockstarter.autoconfigure;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Check for an unsupported version of Spring Boot. Without it the application would
 * start, but health, endpoint and meters of locks would be missing without a message.
 */
class BootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final int OLDEST = 4;

	private final @Nullable String version;

	BootVersionCheck() {
		this(SpringBootVersion.getVersion());
	}

	BootVersionCheck(@Nullable String version) {
		this.version = version;
	}

	@Override
	public void initialize(ConfigurableApplicationContext application) {
		String known = this.version;
		if (known != null && Integer.parseInt(known, 0, known.indexOf('.'), 10) < OLDEST) {
			throw new LockSetupException(
					String.format(Locale.ROOT, "Distributed locks need Spring Boot %d.0 or newer, and found %s.",
							OLDEST, known),
					String.format(Locale.ROOT,
							"Raise Spring Boot to %d.0 or newer, or remove the dependency on the lock starter.",
							OLDEST));
		}
	}

}
