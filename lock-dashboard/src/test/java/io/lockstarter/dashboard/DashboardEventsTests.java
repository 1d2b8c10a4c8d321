package io.lockstarter.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The events that the page is sent.
 */
class DashboardEventsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String[] ANN = { "spring.security.user.name=ann", "spring.security.user.password=secret",
			"spring.security.user.roles=OPS", "management.endpoint.locks.show-values=when-authorized" };

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void tellEverySecondWhatThePageWouldAskFor(WebApplicationType type) throws Exception {
		try (Application application = Application.startWithoutSecurity(type);
				LockHandle lock = application.locks().acquire(LockRequest.of("order:42"));
				Reader reader = Reader.open(application)) {
			assertThat(reader.response.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
			assertThat(reader.response.headers().firstValue("Cache-Control")).contains("no-store");
			assertThat(reader.response.headers().firstValue("Content-Security-Policy")).isPresent();
			Event instance = reader.next("instance");
			assertThat(instance.data()).contains("\"name\":\"order:42\"", "\"mayRelease\":false",
					"\"fencingToken\":\"" + lock.fencingToken() + "\"");
			Event cluster = reader.next("cluster");
			assertThat(cluster.data()).contains("\"up\":true", "\"name\":\"order:42\"");
			// However late the first one was
			assertThat(reader.next("instance").madeAt()).isGreaterThanOrEqualTo(900);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void leaveNothingBehindWhenTheViewerHasLeft(WebApplicationType type) throws Exception {
		try (Application application = Application.startWithoutSecurity(type)) {
			try (Reader reader = Reader.open(application)) {
				reader.next("instance");
				assertThat(application.streams()).isEqualTo(1);
			}
			await().atMost(PATIENCE).until(() -> application.streams() == 0);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void areRefusedWithoutAnAnswerToPoll(WebApplicationType type) throws Exception {
		try (Application application = Application.startWithoutSecurity(type)) {
			List<Reader> readers = new ArrayList<>();
			Reader last = Reader.open(application);
			while (last.response.statusCode() == 200) {
				readers.add(last);
				assertThat(readers).hasSizeLessThanOrEqualTo(20);
				last = Reader.open(application);
			}
			assertThat(last.response.statusCode()).isEqualTo(503);
			assertThat(readers).hasSize(20);
			assertThat(application.client().get("/distributed-locks/api/instance").status()).isEqualTo(200);
			for (Reader reader : readers) {
				reader.close();
			}
			await().atMost(PATIENCE).until(() -> application.streams() == 0);
		}
	}

	/** Boot waits for requests that are under way, for half a minute. */
	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void endWithTheApplication(WebApplicationType type) throws Exception {
		Application application = Application.startWithoutSecurity(type, "server.shutdown=graceful",
				"spring.lifecycle.timeout-per-shutdown-phase=10m");
		try (Reader reader = Reader.open(application)) {
			reader.next("instance");
			application.close();
			assertThat(reader.last()).as("ms into the stream").isLessThan(EventStream.LENGTH.toMillis() * 2 / 3);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void endWhenThePageMayNotBeSeenAnyMore(WebApplicationType type) throws Exception {
		Revocable.access = Access.READ_ONLY;
		try (Application application = Application.start(type, List.of(Revocable.class), ANN);
				Reader reader = Reader.open(application, "Authorization", WebClient.basic("ann", "secret"))) {
			reader.next("instance");
			Revocable.access = Access.NONE;
			assertThat(reader.last()).as("ms into the stream").isLessThan(EventStream.LENGTH.toMillis() * 2 / 3);
		}
	}

	@Test
	void goOnWhenAPartOfTheApplicationEnds() throws Exception {
		try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET)) {
			application.closeChild();
			try (Reader reader = Reader.open(application)) {
				assertThat(reader.response.statusCode()).isEqualTo(200);
			}
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void areSentToGetAlone(WebApplicationType type) {
		try (Application application = Application.startWithoutSecurity(type)) {
			assertThat(application.client().send("HEAD", "/distributed-locks/api/events").status()).isEqualTo(405);
			assertThat(application.streams()).isZero();
		}
	}

	@Test
	void areNotSentThroughAFilterThatCannotWait() {
		try (Application application = Application.start(WebApplicationType.SERVLET, List.of(Hasty.class), ANN)) {
			String login = WebClient.basic("ann", "secret");
			assertThat(application.client().get("/distributed-locks/api/events", "Authorization", login).status())
				.isEqualTo(503);
			assertThat(application.client().get("/distributed-locks/api/instance", "Authorization", login).status())
				.isEqualTo(200);
			assertThat(application.streams()).isZero();
		}
	}

	/** Later, two threads would change headers. */
	@Test
	void haveTheirHeadSentBeforeFiltersGoOn() throws Exception {
		try (Application application = Application.start(WebApplicationType.SERVLET, List.of(Curious.class), ANN);
				Reader reader = Reader.open(application, "Authorization", WebClient.basic("ann", "secret"))) {
			assertThat(reader.response.statusCode()).isEqualTo(200);
			assertThat(Curious.COMMITTED.get(30, TimeUnit.SECONDS)).isTrue();
		}
	}

	@Test
	void areForThoseWhoMaySeeThePageAlone() {
		try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET,
				"distributed-lock.registries.billing.key-prefix=billing:")) {
			assertThat(application.client().get("/distributed-locks/api/events?registry=biling").status())
				.isEqualTo(400);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void showValuesToThoseWithTheRoleAlone(WebApplicationType type) throws Exception {
		for (String role : List.of("OPS", "DEV")) {
			try (Application application = Application.start(type, List.of(), ANN[0], ANN[1], ANN[2], ANN[3],
					"management.endpoint.locks.roles=" + role);
					LockHandle lock = application.locks().acquire(LockRequest.of("patient:smith"));
					Reader reader = Reader.open(application, "Authorization", WebClient.basic("ann", "secret"))) {
				assertThat(lock.isValid()).isTrue();
				assertThat(reader.next("instance").data().contains("smith")).isEqualTo(role.equals("OPS"));
				assertThat(reader.next("cluster").data().contains("smith")).isEqualTo(role.equals("OPS"));
			}
		}
	}

	/**
	 * Has a filter that does not support asynchronous requests.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Hasty {

		@Bean
		FilterRegistrationBean<Filter> hastyFilter() {
			FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>(
					(request, response, chain) -> chain.doFilter(request, response));
			filter.setAsyncSupported(false);
			return filter;
		}

	}

	/**
	 * Has a filter that looks at the response when the request's thread comes back.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Curious {

		private static final CompletableFuture<Boolean> COMMITTED = new CompletableFuture<>();

		@Bean
		FilterRegistrationBean<Filter> curiousFilter() {
			return new FilterRegistrationBean<>((request, response, chain) -> {
				chain.doFilter(request, response);
				COMMITTED.complete(response.isCommitted());
			});
		}

	}

	/**
	 * Changes what the endpoint allows while the application runs.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Revocable {

		private static volatile Access access = Access.READ_ONLY;

		@Bean
		EndpointAccessResolver revocableAccess() {
			return (endpoint, byDefault) -> access;
		}

	}

	/**
	 * What was sent.
	 *
	 * @param madeAt when, in ms since the stream began
	 */
	private record Event(long madeAt, String name, String data) {
	}

	/**
	 * A viewer who reads events.
	 */
	private static final class Reader implements AutoCloseable {

		private static final HttpClient HTTP = HttpClient.newHttpClient();

		private final HttpResponse<InputStream> response;

		private final Scanner lines;

		private Reader(HttpResponse<InputStream> response) {
			this.response = response;
			this.lines = new Scanner(response.body(), StandardCharsets.UTF_8);
		}

		static Reader open(Application application, String... headers) throws InterruptedException {
			HttpRequest.Builder request = HttpRequest
				.newBuilder(URI.create(application.client().address() + "/distributed-locks/api/events"))
				.timeout(PATIENCE);
			if (headers.length > 0) {
				request.headers(headers);
			}
			try {
				return new Reader(HTTP.send(request.build(), BodyHandlers.ofInputStream()));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/** The next event of a name. */
		Event next(String name) {
			while (true) {
				long madeAt = Long.parseLong(field("id: "));
				String found = field("event: ");
				String data = field("data: ");
				assertThat(this.lines.nextLine()).isEmpty();
				if (found.equals(name)) {
					return new Event(madeAt, found, data);
				}
			}
		}

		private String field(String name) {
			String line = this.lines.nextLine();
			assertThat(line).startsWith(name);
			return line.substring(name.length());
		}

		/** When the last event was made, once the stream is over. */
		long last() {
			long madeAt = 0;
			while (this.lines.hasNextLine()) {
				String line = this.lines.nextLine();
				madeAt = line.startsWith("id: ") ? Long.parseLong(line.substring(4)) : madeAt;
			}
			return madeAt;
		}

		@Override
		public void close() {
			this.lines.close();
		}

	}

}
