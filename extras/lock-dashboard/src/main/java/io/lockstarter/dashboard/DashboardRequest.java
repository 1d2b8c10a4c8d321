package io.lockstarter.dashboard;

import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * Request for the page or its data, independent of the web stack.
 *
 * @param method the HTTP method
 * @param path the part after the path of the page: empty, or with a leading slash
 * @param parameters returns a parameter by its name
 * @param headers returns a header by its name
 * @param viewer the user who sent the request
 * @param csrf returns the token that Spring Security requires with writes, or
 * {@code null} if it requires none
 */
record DashboardRequest(String method, String path, Function<String, @Nullable String> parameters,
		Function<String, @Nullable String> headers, SecurityContext viewer, Supplier<@Nullable Csrf> csrf) {

	/** Path where the page gets the token that Spring Security requires. */
	static final String CSRF_PATH = "/api/csrf";

	/**
	 * Token against cross-site request forgery.
	 *
	 * @param header the header that transmits the token
	 * @param token the token
	 */
	record Csrf(String header, String token) {
	}

}
