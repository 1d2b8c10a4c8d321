package io.lockstarter.sample;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.sample.boxoffice.Settlement;
import io.lockstarter.testing.Ports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;

/**
 * Two instances of the box office that share an embedded Redis and a database.
 */
class BoxOfficeTests {

	@TempDir
	static Path directory;

	static Instance north;

	static Instance south;

	@BeforeAll
	static void startInstances() {
		int redisPort = Ports.free();
		north = Instance.start("north", redisPort, directory);
		south = Instance.start("south", redisPort, directory);
	}

	@AfterAll
	static void stopInstances() {
		// The first one takes the Redis with it
		Stream.of(south, north).filter(Objects::nonNull).forEach(Instance::close);
	}

	@BeforeEach
	void startOver() {
		assertThat(north.post("/reset", Map.of()).getStatusCode().value()).isEqualTo(200);
	}

	@Test
	void sellsSeat() {
		ResponseEntity<String> ticket = north.post("/seats/A1", Map.of("customer", "ann"));
		assertThat(ticket.getStatusCode().value()).isEqualTo(201);
		assertThat(ticket.getBody()).contains("\"soldBy\":\"north\"");
		assertThat(south.overview("tickets")).singleElement(MAP).containsEntry("seat", "A1");
	}

	@Test
	void sellsSeatOnceWhenBothInstancesAreAsked() {
		List<ResponseEntity<String>> answers = askBoth("/seats/B2", Map.of("customer", "ann"));
		assertThat(answers).extracting((answer) -> answer.getStatusCode().value())
			.containsExactlyInAnyOrder(201, 409, 409, 409);
		assertThat(answers).filteredOn((answer) -> answer.getStatusCode().value() == 409)
			.allSatisfy((answer) -> assertThat(answer.getBody()).contains("Seat B2 was sold to ann by"));
		assertThat(north.overview("tickets")).hasSize(1);
	}

	/**
	 * As soon as two are asked at the same time, which a busy machine may not manage at
	 * once.
	 */
	@Test
	void sellsSeatMoreThanOnceWithoutLock() {
		await().untilAsserted(() -> {
			startOver();
			List<ResponseEntity<String>> answers = askBoth("/seats/B2", Map.of("customer", "ann", "locked", "false"));
			assertThat(answers).filteredOn((answer) -> answer.getStatusCode().value() == 201).hasSizeGreaterThan(1);
			assertThat(north.overview("tickets")).hasSizeGreaterThan(1);
		});
	}

	@Test
	void sellsOtherSeatsMeanwhile() throws InterruptedException {
		try (LockHandle lock = north.bean(LockRegistry.class).acquire(LockRequest.of("seat:C1"))) {
			assertThat(south.post("/seats/C2", Map.of("customer", "ann")).getStatusCode().value()).isEqualTo(201);
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void losesNoMoneyWhenBothInstancesTransfer() {
		List<ResponseEntity<String>> answers = askBoth("/transfers",
				Map.of("from", "ann", "to", "bob", "amount", "10"));
		assertThat(answers).allSatisfy((answer) -> assertThat(answer.getStatusCode().value()).isEqualTo(200));
		assertThat(south.overview("accounts")).extracting("balance").containsExactly(60, 140, 100);
	}

	@Test
	void changesNothingWhenFundsAreInsufficient() {
		ResponseEntity<String> answer = north.post("/transfers", Map.of("from", "ann", "to", "bob", "amount", "101"));
		assertThat(answer.getStatusCode().value()).isEqualTo(409);
		assertThat(north.overview("accounts")).extracting("balance").containsExactly(100, 100, 100);
	}

	@Test
	void settlesOnOneInstance() {
		north.post("/seats/A1", Map.of("customer", "ann"));
		List<CompletableFuture<Settlement.Statement>> settlements = Stream.of(north, south)
			.map((instance) -> Instance.later(instance.bean(Settlement.class)::settle))
			.toList();
		assertThat(settlements).extracting(CompletableFuture::join).filteredOn(Objects::nonNull).hasSize(1);
		assertThat(south.overview("settlements")).singleElement(MAP).containsEntry("tickets", 1);
	}

	@Test
	void listsLocksHeldAndAwaited() throws InterruptedException {
		CompletableFuture<ResponseEntity<String>> booking;
		try (LockHandle lock = north.bean(LockRegistry.class).acquire(LockRequest.of("seat:A6"))) {
			booking = south.postLater("/seats/A6", Map.of("customer", "ann"));
			await().until(() -> south.text("/actuator/locks"), containsString("\"name\":\"seat:A6\""));
			assertThat(south.get("/actuator/locks")).containsEntry("held", List.of());
			assertThat(north.text("/actuator/locks/seat:A6"))
				.contains("\"fencingToken\":\"" + lock.fencingToken() + "\"")
				.contains("\"watchdog\":\"renewing\"");
		}
		assertThat(booking.join().getStatusCode().value()).isEqualTo(201);
		assertThat(north.get("/actuator/locks")).containsEntry("held", List.of()).containsEntry("waiting", List.of());
	}

	@Test
	void measuresAcquisitions() {
		north.post("/seats/A1", Map.of("customer", "ann"));
		assertThat(north.text("/actuator/prometheus")).contains("distributed_lock_acquire_seconds_count")
			.contains("name=\"seat\"")
			.doesNotContain("seat:A1");
	}

	@Test
	void isHealthy() {
		assertThat(north.get("/actuator/health")).containsEntry("status", "UP")
			.extractingByKey("components", MAP)
			.containsKey("distributedLock");
	}

	@Test
	void explainsWhatItCannotSell() {
		assertThat(north.post("/seats/Z9", Map.of("customer", "ann")).getStatusCode().value()).isEqualTo(404);
		assertThat(north.post("/transfers", Map.of("from", "ann", "to", "ann", "amount", "1")).getStatusCode().value())
			.isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "A", "a1", "A10", "A1 ", "front-row", "é1", "A1;drop table ticket" })
	void refusesSeatThatIsNoName(String seat) {
		assertProblem(north.post("/seats/{seat}", Map.of("customer", "ann"), seat), "such as A1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "  \t", "ann\nbob", "ann\u0000", "ann\u2028" })
	void refusesCustomerThatIsNoName(String customer) {
		assertProblem(north.post("/seats/A1", Map.of("customer", customer)), "A customer");
		assertProblem(north.post("/seats/A1", Map.of("customer", customer, "locked", "false")), "A customer");
		assertProblem(north.post("/transfers", Map.of("from", customer, "to", "ann", "amount", "1")), "A customer");
		assertThat(north.overview("tickets")).isEmpty();
	}

	@Test
	void refusesCustomerWithLongName() {
		assertThat(north.post("/seats/A1", Map.of("customer", "é".repeat(40))).getStatusCode().value()).isEqualTo(201);
		for (int length : List.of(41, 101, 10_000)) {
			assertProblem(north.post("/seats/A2", Map.of("customer", "x".repeat(length))), "at most 40");
		}
		assertThat(north.overview("tickets")).singleElement(MAP).containsEntry("customer", "é".repeat(40));
	}

	@Test
	void refusesOrderWithMissingParts() {
		assertProblem(north.post("/seats/A1", Map.of()), "customer");
		assertProblem(north.post("/transfers", Map.of("from", "ann", "to", "bob", "amount", "much")), "amount");
	}

	private static void assertProblem(ResponseEntity<String> answer, String detail) {
		assertThat(answer.getStatusCode().value()).as(answer.getBody()).isEqualTo(400);
		assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(answer.getBody()).contains(detail, "\"servedBy\":\"north\"");
	}

	@Test
	void showsLocksOfAllInstancesOnThePageOfTheDashboard() throws InterruptedException {
		try (LockHandle lock = south.bean(LockRegistry.class).acquire(LockRequest.of("seat:B1"))) {
			assertThat(north.text("/distributed-locks/")).contains("<title>Locks</title>");
			assertThat(north.text("/distributed-locks/api/view")).contains("\"name\":\"seat:B1\"",
					"\"token\":\"" + lock.fencingToken() + "\"");
		}
	}

	@Test
	void showsStartPage() {
		assertThat(north.text("/")).contains("Box office");
		assertThat(north.text("/box-office.js")).contains("seats/");
	}

	private static List<ResponseEntity<String>> askBoth(String path, Map<String, String> parameters) {
		List<CompletableFuture<ResponseEntity<String>>> answers = Stream.of(north, south, north, south)
			.map((instance) -> instance.postLater(path, parameters))
			.toList();
		return answers.stream().map(CompletableFuture::join).toList();
	}

}
