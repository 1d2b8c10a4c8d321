package io.lockstarter.dashboard;

import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * A request for the page or its data, whatever the web stack.
 *
 * @param method its method
 * @param path what follows the path of the page: empty, or with a slash in front
 * @param parameters a parameter by its name
 * @param headers a header by its name
 * @param viewer who asks
 * @param csrf what Spring Security wants to see before it lets a write pass, if anything
 */
record DashboardRequest(String method, String path, Function<String, @Nullable String> parameters,
		Function<String, @Nullable String> headers, SecurityContext viewer, Supplier<@Nullable Csrf> csrf) {

	/** Where to ask for what Spring Security wants to see. */
	static final String CSRF_PATH = "/api/csrf";

	/**
	 * A token against forged requests.
	 *
	 * @param header the header to send it in
	 * @param token the token
	 */
	record Csrf(String header, String token) {
	}

}
