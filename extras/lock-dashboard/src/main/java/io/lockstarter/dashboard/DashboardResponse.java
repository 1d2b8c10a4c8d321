package io.lockstarter.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Response to a request, independent of the web stack.
 *
 * @param status the HTTP status
 * @param headers the headers
 * @param body the body
 */
record DashboardResponse(int status, Map<String, String> headers, String body) {

	/** Headers that forbid content of other sites, inline code, and frames. */
	private static final Map<String, String> SECURITY_HEADERS = Map.of("Content-Security-Policy",
			"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
					+ " form-action 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer", "Cross-Origin-Resource-Policy",
			"same-origin");

	/**
	 * Returns a file, which does not change while the application runs. The tag is weak
	 * because Tomcat does not compress files with strong tags.
	 */
	static DashboardResponse file(String type, String content, String tag) {
		DashboardResponse response = of(200, type, "no-cache", content);
		response.headers.put("ETag", tag);
		return response;
	}

	/** Returns the response to a browser that already has the file. */
	DashboardResponse unchanged() {
		return new DashboardResponse(304, this.headers, "");
	}

	static DashboardResponse json(int status, String content) {
		return of(status, "application/json;charset=UTF-8", "no-store", content);
	}

	static DashboardResponse text(int status, String text) {
		return of(status, "text/plain;charset=UTF-8", "no-store", text);
	}

	static DashboardResponse redirect(String location) {
		DashboardResponse response = text(302, "");
		response.headers.put("Location", location);
		return response;
	}

	/** Returns the encoded body. */
	byte[] bytes() {
		return this.body.getBytes(StandardCharsets.UTF_8);
	}

	private static DashboardResponse of(int status, String type, String caching, String body) {
		Map<String, String> headers = new LinkedHashMap<>(SECURITY_HEADERS);
		headers.put("Content-Type", type);
		headers.put("Cache-Control", caching);
		return new DashboardResponse(status, headers, body);
	}

}
