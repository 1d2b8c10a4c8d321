package io.lockstarter.sample;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.Ports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances that render pictures with three permits.
 */
class RenderingTests {

	private static final int PERMITS = 3;

	private static final String DURATION = "--sample.rendering.duration=300ms";

	@TempDir
	static Path directory;

	static int redisPort;

	static Instance north;

	static Instance south;

	@BeforeAll
	static void startInstances() {
		redisPort = Ports.free();
		north = Instance.start("north", redisPort, directory, DURATION);
		south = Instance.start("south", redisPort, directory, DURATION);
	}

	@AfterAll
	static void stopInstances() {
		// The first one takes the Redis with it
		Stream.of(south, north).filter(Objects::nonNull).forEach(Instance::close);
	}

	@Test
	void rendersAllPicturesWithNoMoreThanThePermits() {
		assertThat(north.post("/renderings", Map.of()).getStatusCode().value()).isEqualTo(202);
		await().until(() -> {
			assertThat(pictures("RENDERING")).hasSizeLessThanOrEqualTo(PERMITS);
			assertThat(permits()).hasSizeLessThanOrEqualTo(PERMITS);
			return pictures("DONE").size() == 8;
		});
		assertThat(north.get("/renderings")).containsEntry("permits", PERMITS).containsEntry("instance", "north");
		await().until(() -> permits().isEmpty());
	}

	@Test
	void rendersWhileThereIsAPermitLeft() throws InterruptedException {
		LockRequest permit = LockRequest.of("render").permits(PERMITS);
		try (LockHandle one = south.bean(LockRegistry.class).acquire(permit.owner(LockOwner.create("one")));
				LockHandle other = south.bean(LockRegistry.class).acquire(permit.owner(LockOwner.create("other")))) {
			north.post("/renderings", Map.of());
			await().until(() -> {
				assertThat(pictures("RENDERING")).hasSizeLessThanOrEqualTo(1);
				return pictures("DONE").size() == 8;
			});
			assertThat(one.isValid()).isTrue();
			assertThat(other.isValid()).isTrue();
			assertThat(permits()).filteredOn((used) -> "south".equals(used.get("instance")))
				.hasSizeGreaterThanOrEqualTo(2);
		}
	}

	@Test
	void losesThePictureOfAnInstanceWithoutAPermit() throws InterruptedException {
		await().until(() -> pictures("WAITING").isEmpty() && pictures("RENDERING").isEmpty());
		LockRequest permit = LockRequest.of("render").permits(PERMITS);
		try (LockHandle lock = north.bean(LockRegistry.class).acquire(permit)) {
			takeFirstPicture("north");
			assertThat(pictures("RENDERING")).hasSize(1);
			assertThat(lock.isValid()).isTrue();
			takeFirstPicture("ghost");
			assertThat(pictures("RENDERING")).isEmpty();
			assertThat(pictures("LOST")).singleElement()
				.satisfies((picture) -> assertThat(picture).containsEntry("instance", "ghost"));
			takeFirstPicture("north");
			assertThat(pictures("LOST")).isEmpty();
		}
		await().until(() -> pictures("LOST").size() == 1);
	}

	@Test
	void rendersWhatAnInstanceThatWasStoppedHadBegun() {
		Instance east = Instance.start("east", redisPort, directory, "--sample.rendering.duration=1m");
		try (east) {
			await().until(() -> {
				if (pictures("WAITING").isEmpty() && pictures("RENDERING").isEmpty()) {
					north.post("/renderings", Map.of());
				}
				return isAtWork("east");
			});
		}
		await().until(() -> {
			assertThat(pictures("LOST")).isEmpty();
			return pictures("DONE").size() == 8;
		});
		assertThat(pictures("DONE")).noneMatch((picture) -> "east".equals(picture.get("instance")));
	}

	@Test
	void showsPage() {
		assertThat(north.text("/renderings.html")).contains("Eight pictures share three permits");
	}

	private static boolean isAtWork(String instance) {
		return pictures("RENDERING").stream().anyMatch((picture) -> instance.equals(picture.get("instance")));
	}

	/** As an instance does that then stops working. */
	private static void takeFirstPicture(String instance) {
		assertThat(north.bean(JdbcClient.class)
			.sql("update rendering set state = 'RENDERING', instance = ?, process = 1 where picture = 1")
			.param(instance)
			.update()).isEqualTo(1);
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> pictures(String state) {
		return ((List<Map<String, Object>>) south.get("/renderings").get("renderings")).stream()
			.filter((picture) -> state.equals(picture.get("state")))
			.toList();
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> permits() {
		return (List<Map<String, Object>>) south.get("/renderings").get("inUse");
	}

}
