package io.lockstarter.dashboard;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of filter, order and range of the rows.
 */
class DashboardViewTests {

	private static Application application;

	private final List<CompletableFuture<LockHandle>> requests = new ArrayList<>();

	@BeforeAll
	static void start() {
		application = Application.startWithoutSecurity(WebApplicationType.SERVLET,
				"management.endpoints.web.exposure.include=locks");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@AfterEach
	void release() {
		Collections.reverse(this.requests);
		this.requests.forEach((request) -> {
			if (!request.cancel(true)) {
				request.join().close();
			}
		});
	}

	@Test
	void returnsPagesInNaturalOrder() {
		for (int i = 0; i < 621; i++) {
			request(LockRequest.of("order:" + i));
		}
		awaitView("limit=3", (view) -> assertThat(view).containsEntry("matching", 621));
		assertThat(names("sort=name&limit=3&offset=9")).containsExactly("order:9", "order:10", "order:11");
		assertThat(names("sort=name&limit=3&descending=true")).containsExactly("order:620", "order:619", "order:618");
		assertThat(names("sort=name&limit=3&offset=620")).containsExactly("order:620");
		assertThat(names("sort=name")).hasSize(50);
		assertThat(names("sort=name&limit=1000")).hasSize(200);
		assertThat(names("q=ORDER:613")).containsExactly("order:613");
		assertThat(view("q=nothing")).containsEntry("matching", 0);
		assertThat(totals(view("q=nothing"))).containsEntry("locks", 621).containsEntry("held", 621);
	}

	@Test
	void filtersByInstanceThreadAndMetricName() {
		request(LockRequest.of("a").owner(LockOwner.create("holder")).metricName("ship"));
		request(LockRequest.of("a")
			.owner(LockOwner.create("patient"))
			.metricName("ship")
			.waitTime(LockRequest.FOREVER));
		request(LockRequest.of("b").metricName("bill"));
		awaitView("", (view) -> assertThat(view).containsEntry("matching", 2));
		assertThat(names("q=holder")).containsExactly("a");
		assertThat(names("q=PATIENT")).containsExactly("a");
		assertThat(names("q=bill")).containsExactly("b");
		assertThat(names("q=shop-")).containsExactly("a", "b");
		assertThat(names("metricName=ship")).containsExactly("a");
		assertThat(names("metricName=shi")).isEmpty();
		assertThat(names("problemsOnly=true")).isEmpty();
	}

	/** A row stays in the table while the pointer is on it, even outside the range. */
	@Test
	void returnsPinnedRowsOutsideRange() {
		for (String name : List.of("a", "b", "c")) {
			request(LockRequest.of(name));
		}
		awaitView("", (view) -> assertThat(view).containsEntry("matching", 3));
		List<Map<String, Object>> rows = rows(view("sort=name"), "rows");
		String pinned = rows.get(0).get("key") + "," + rows.get(2).get("key") + ",unknown";
		Map<String, Object> view = view(
				"sort=name&limit=1&pinned=" + URLEncoder.encode(pinned, StandardCharsets.UTF_8));
		assertThat(rows(view, "rows")).extracting((row) -> row.get("name")).containsExactly("a");
		assertThat(rows(view, "pinned")).extracting((row) -> row.get("name")).containsExactly("c");
	}

	@Test
	void distinguishesReadersFromPermits() {
		request(LockRequest.of("catalog").type(LockType.READ).owner(LockOwner.create("one")));
		request(LockRequest.of("catalog").type(LockType.READ).owner(LockOwner.create("two")));
		request(LockRequest.of("render").permits(4).owner(LockOwner.create("one")));
		request(LockRequest.of("render").permits(4).owner(LockOwner.create("two")));
		awaitView("sort=name",
				(view) -> assertThat(rows(view, "rows")).satisfiesExactly(
						(row) -> assertThat(row).containsEntry("read", true)
							.containsEntry("holders", 2)
							.containsEntry("permits", 1),
						(row) -> assertThat(row).containsEntry("read", false)
							.containsEntry("holders", 2)
							.containsEntry("permits", 4)));
		assertThat(rows(view(""), "rows")).allSatisfy((row) -> assertThat(row).containsEntry("level", "GOOD"));
	}

	@Test
	void countsSameWaitingRequestsAsEndpoint() {
		request(LockRequest.of("a"));
		for (int i = 0; i < 5; i++) {
			request(LockRequest.of("a").owner(LockOwner.create("patient")).waitTime(LockRequest.FOREVER));
		}
		awaitView("",
				(view) -> assertThat(totals(view)).containsEntry("requests", 5).containsEntry("waitingInstances", 1));
		assertThat(rows(view(""), "rows")).singleElement()
			.satisfies((row) -> assertThat(row).containsEntry("requests", 5));
		assertThat(rows(application.client().get("/actuator/locks").json(), "waiting")).hasSize(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sort=color", "limit=many", "offset=-1" })
	void refusesInvalidParameters(String query) {
		assertThat(application.client().get("/distributed-locks/api/view?" + query).status()).isEqualTo(400);
	}

	private void request(LockRequest request) {
		this.requests.add(application.locks().acquireAsync(request));
	}

	private static void awaitView(String query, Consumer<Map<String, Object>> assertions) {
		await().untilAsserted(() -> assertions.accept(view(query)));
	}

	private static Map<String, Object> view(String query) {
		return application.client().get("/distributed-locks/api/view?" + query).json();
	}

	private static List<Object> names(String query) {
		return rows(view(query), "rows").stream().map((row) -> row.get("name")).toList();
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> rows(Map<String, Object> view, String name) {
		return (List<Map<String, Object>>) view.get(name);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> totals(Map<String, Object> view) {
		return (Map<String, Object>) view.get("totals");
	}

}
