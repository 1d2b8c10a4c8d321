package io.lockstarter.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.Ports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the experiments tell, with two instances that share an embedded Redis.
 */
class ExperimentTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	static Path directory;

	static int redisPort;

	static Instance north;

	static Instance south;

	@BeforeAll
	static void start() {
		redisPort = Ports.free();
		north = Instance.start("north", redisPort, directory);
		south = Instance.start("south", redisPort, directory);
		north.awaitParticipants(2);
	}

	@AfterAll
	static void stop() {
		// The first instance takes the Redis with it
		Stream.of(south, north).filter(Objects::nonNull).forEach(Instance::close);
	}

	@Test
	void oneBuyerAtATimeHasTheLock() {
		run("contention");
		List<Happening> story = awaitStory("contention", "DONE", 12);
		assertThat(story.get(0).text()).isEqualTo("holds the lock, and 12 buyers on 2 instances request it");
		assertThat(story).extracting(Happening::kind).containsOnlyOnce("STARTED").containsOnly("STARTED", "DONE");
		assertThat(story).filteredOn((one) -> one.instance().equals("south")).hasSize(6);
		assertThat(story).extracting(Happening::token).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void frozenHolderIsRefusedAndTellsOfItsLossOnce() {
		run("freeze");
		List<Happening> story = awaitStory("freeze", "REFUSED", 1);
		long stale = story.get(0).token();
		assertThat(story).filteredOn((one) -> one.token() == stale)
			.extracting(Happening::kind)
			.containsExactly("STARTED", "LOST", "REFUSED");
		assertThat(story).filteredOn((one) -> one.kind().equals("WRITTEN"))
			.hasSize(2)
			.allSatisfy((one) -> assertThat(one.token()).isGreaterThan(stale));
		assertThat(north.bean(JdbcClient.class).sql("select token from ledger").query(Long.class).single())
			.isEqualTo(story.stream()
				.filter((one) -> one.kind().equals("WRITTEN"))
				.mapToLong(Happening::token)
				.max()
				.orElseThrow());
		awaitFree("ledger");
	}

	@Test
	void frozenTransactionIsRolledBackIfFencedAndLosesTicketsIfNot() {
		run("fenced");
		run("unfenced");
		List<Happening> fenced = awaitStory("fenced", "REFUSED", 1);
		assertThat(fenced).extracting(Happening::kind).startsWith("STARTED").doesNotContain("OVERWRITTEN");
		assertThat(fenced.get(fenced.size() - 1).text()).contains("the database rolled it back");
		List<Happening> unfenced = awaitStory("unfenced", "OVERWRITTEN", 1);
		assertThat(unfenced).extracting(Happening::kind)
			.startsWith("STARTED")
			.contains("LOST")
			.doesNotContain("REFUSED");
		assertThat(unfenced.get(unfenced.size() - 1).text()).endsWith("tickets lost: 2");
		JdbcClient jdbc = north.bean(JdbcClient.class);
		assertThat(jdbc.sql("select sold from sales where office = 'fenced'").query(Long.class).single()).isEqualTo(2);
		assertThat(jdbc.sql("select committed from sales where office = 'fenced'").query(Long.class).single())
			.isEqualTo(2);
		assertThat(jdbc.sql("select sold from sales where office = 'unfenced'").query(Long.class).single()).isOne();
		assertThat(jdbc.sql("select committed from sales where office = 'unfenced'").query(Long.class).single())
			.isEqualTo(3);
	}

	@Test
	void nothingIsToldToHaveStartedThatHasNot() throws InterruptedException {
		List<Happening> before = story("cut");
		try (LockHandle lock = south.bean(LockRegistry.class).acquire(LockRequest.of("sound-check"))) {
			ResponseEntity<String> answer = north.post("/experiments/cut/runs", Map.of());
			assertThat(answer.getStatusCode().value()).isEqualTo(409);
			assertThat(answer.getBody()).contains("still running on south");
			assertThat(lock.isValid()).isTrue();
		}
		assertThat(north.post("/experiments/flood/runs", Map.of()).getStatusCode().value()).isEqualTo(404);
		assertThat(story("cut")).isEqualTo(before);
	}

	@Test
	@Tag("stress")
	void longHoldIsToldToHaveLastedThroughoutOnlyIfItHas() {
		run("long-hold");
		assertThat(awaitStory("long-hold", "DONE", 1)).extracting(Happening::text)
			.endsWith("is done, and held the lock throughout");
		awaitFree("stocktaking");
		run("long-hold");
		north.bean(LockMonitor.class).forceRelease("stocktaking");
		awaitStory("long-hold", "LOST", 1);
		await().atMost(PATIENCE)
			.pollInterval(1, TimeUnit.SECONDS)
			.during(Duration.ofSeconds(16))
			.untilAsserted(() -> assertThat(story("long-hold")).extracting(Happening::kind)
				.containsExactly("STARTED", "LOST"));
	}

	@Test
	@Tag("stress")
	void cutHolderTellsThatRenewalsFailAndSucceedAgain() {
		// With time enough to ask for something else while the line is cut
		try (Instance east = Instance.start("east", redisPort, directory, "--distributed-lock.lease-time=16s")) {
			run(east, "cut");
			await().atMost(PATIENCE)
				.pollInterval(50, TimeUnit.MILLISECONDS)
				.until(() -> Integer.valueOf(503).equals(east.get("/renderings").get("status")));
			ResponseEntity<String> answer = east.post("/experiments/freeze/runs", Map.of());
			assertThat(answer.getStatusCode().value()).isEqualTo(503);
			assertThat(answer.getBody()).contains("Redis does not reply to this instance").doesNotContain("Exception");
			assertThat(awaitStory("cut", "DONE", 1)).extracting(Happening::kind)
				.containsOnlyOnce("STARTED", "FAILING", "RECOVERED", "DONE")
				.doesNotContain("LOST");
		}
	}

	private static void run(String experiment) {
		run(north, experiment);
	}

	private static void run(Instance instance, String experiment) {
		ResponseEntity<String> answer = instance.post("/experiments/" + experiment + "/runs", Map.of());
		assertThat(answer.getStatusCode().value()).as(answer.getBody()).isEqualTo(202);
	}

	private static void awaitFree(String lock) {
		await().atMost(PATIENCE).until(() -> north.bean(LockMonitor.class).inspect(lock).join().holders().isEmpty());
	}

	/** The latest run of an experiment, once it has so many events of a kind. */
	private static List<Happening> awaitStory(String experiment, String kind, int count) {
		return await().atMost(PATIENCE)
			.until(() -> story(experiment),
					(story) -> story.stream().filter((one) -> one.kind().equals(kind)).count() >= count);
	}

	@SuppressWarnings("unchecked")
	private static List<Happening> story(String experiment) {
		List<Happening> all = ((List<Map<String, Object>>) south.get("/experiments").get("events")).stream()
			.filter((event) -> experiment.equals(event.get("experiment")))
			.map(Happening::of)
			.toList();
		int start = all.stream().map(Happening::kind).toList().lastIndexOf("STARTED");
		return all.subList(Math.max(0, start), all.size());
	}

	/**
	 * What is told of an experiment.
	 */
	private record Happening(String instance, String kind, long token, String text) {

		private static Happening of(Map<String, Object> event) {
			return new Happening((String) event.get("instance"), (String) event.get("kind"),
					Long.parseLong((String) event.get("token")), (String) event.get("text"));
		}

	}

}
