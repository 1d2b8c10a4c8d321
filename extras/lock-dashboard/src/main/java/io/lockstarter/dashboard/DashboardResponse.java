package io.lockstarter.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a request is answered with, whatever the web stack.
 *
 * @param status the status
 * @param headers the headers
 * @param body the body
 */
record DashboardResponse(int status, Map<String, String> headers, String body) {

	/** Nothing from elsewhere, nothing inline, no frame around the page. */
	private static final Map<String, String> PROTECTION = Map.of("Content-Security-Policy",
			"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
					+ " form-action 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer", "Cross-Origin-Resource-Policy",
			"same-origin");

	/**
	 * A file that does not change while the application runs. The tag is a weak one:
	 * Tomcat compresses nothing that has a strong one.
	 */
	static DashboardResponse file(String type, String content, String tag) {
		DashboardResponse response = of(200, type, "no-cache", content);
		response.headers.put("ETag", tag);
		return response;
	}

	/** The answer to one who has the file already. */
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

	/** The body as it is sent. */
	byte[] bytes() {
		return this.body.getBytes(StandardCharsets.UTF_8);
	}

	private static DashboardResponse of(int status, String type, String caching, String body) {
		Map<String, String> headers = new LinkedHashMap<>(PROTECTION);
		headers.put("Content-Type", type);
		headers.put("Cache-Control", caching);
		return new DashboardResponse(status, headers, body);
	}

}
