package io.lockstarter.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a request is answered with, whatever the web stack.
 *
 * @param status the status
 * @param headers the headers
 * @param body the body
 * @param events what to send in place of the body, if anything
 */
record DashboardResponse(int status, Map<String, String> headers, String body, @Nullable EventStream events) {

	/** Nothing from elsewhere, nothing inline, no frame around the page. */
	private static final Map<String, String> PROTECTION = Map.of("Content-Security-Policy",
			"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
					+ " form-action 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer", "Cross-Origin-Resource-Policy",
			"same-origin");

	static DashboardResponse file(String type, String content) {
		return of(200, type, "no-cache", content);
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

	static DashboardResponse events(EventStream events) {
		DashboardResponse response = of(200, "text/event-stream;charset=UTF-8", "no-store", "");
		// What nginx goes by
		response.headers.put("X-Accel-Buffering", "no");
		return new DashboardResponse(200, response.headers, "", events);
	}

	/** The answer in place of events that cannot be sent: the page polls then. */
	static DashboardResponse noEvents() {
		return text(503, "No events are sent now.");
	}

	/** The body as it is sent. */
	byte[] bytes() {
		return this.body.getBytes(StandardCharsets.UTF_8);
	}

	private static DashboardResponse of(int status, String type, String caching, String body) {
		Map<String, String> headers = new LinkedHashMap<>(PROTECTION);
		headers.put("Content-Type", type);
		headers.put("Cache-Control", caching);
		return new DashboardResponse(status, headers, body, null);
	}

}
