package io.lockstarter.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

import org.springframework.boot.json.JsonParserFactory;

/**
 * HTTP client that does not follow redirections.
 */
final class WebClient {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final HttpClient http = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

	private final String address;

	WebClient(String address) {
		this.address = address;
	}

	String address() {
		return this.address;
	}

	Response get(String path, String... headers) {
		return send("GET", path, headers);
	}

	Response send(String method, String path, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.address + path))
			.timeout(PATIENCE)
			.method(method, BodyPublishers.noBody());
		if (headers.length > 0) {
			request.headers(headers);
		}
		try {
			return new Response(this.http.send(request.build(), BodyHandlers.ofString()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	static String basic(String user, String password) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Response of the application.
	 */
	record Response(HttpResponse<String> response) {

		int status() {
			return this.response.statusCode();
		}

		String text() {
			return this.response.body();
		}

		String header(String name) {
			return this.response.headers().firstValue(name).orElse("");
		}

		Map<String, Object> json() {
			return JsonParserFactory.getJsonParser().parseMap(text());
		}

	}

}
