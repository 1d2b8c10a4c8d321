package io.lockstarter.dashboard;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.util.ClassUtils;

/**
 * Where Spring Security is on the class path, nobody sees locks without a login, even if
 * the application's own rules have forgotten the path of the page.
 *
 * @param required whether a login is required
 */
record LoginRule(boolean required) {

	/** Tells that there is Spring Security. */
	static final String SPRING_SECURITY = "org.springframework.security.core.Authentication";

	static LoginRule by(@Nullable ClassLoader classLoader) {
		return new LoginRule(ClassUtils.isPresent(SPRING_SECURITY, classLoader));
	}

	boolean isBrokenBy(@Nullable Principal viewer) {
		return this.required && (viewer == null || viewer instanceof AnonymousAuthenticationToken);
	}

}
