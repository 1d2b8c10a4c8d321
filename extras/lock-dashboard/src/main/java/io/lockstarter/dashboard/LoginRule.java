package io.lockstarter.dashboard;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.util.ClassUtils;

/**
 * Rule that the page requires a login if Spring Security is on the class path, even if
 * the application's own rules permit everybody to see the page.
 *
 * @param required whether a login is required
 */
record LoginRule(boolean required) {

	/** Name of a class whose presence means that Spring Security is on the class path. */
	static final String SPRING_SECURITY = "org.springframework.security.core.Authentication";

	static LoginRule of(@Nullable ClassLoader classLoader) {
		return new LoginRule(ClassUtils.isPresent(SPRING_SECURITY, classLoader));
	}

	boolean isViolatedBy(@Nullable Principal viewer) {
		return this.required && (viewer == null || viewer instanceof AnonymousAuthenticationToken);
	}

}
