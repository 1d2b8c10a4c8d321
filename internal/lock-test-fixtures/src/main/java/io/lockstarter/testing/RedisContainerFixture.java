package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.exception.NotFoundException;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

import static org.awaitility.Awaitility.await;

/**
 * Redis in a container. Its image is in the environment variable
 * {@code LOCK_TEST_REDIS_IMAGE} or in the system property {@code lock.test.redis.image}.
 * The default is {@code redis:7.4}. If the default image is not available, tests are
 * skipped. If a configured image is not available, they fail.
 */
public final class RedisContainerFixture implements RedisFixture {

	private static final int REDIS_PORT = 6379;

	/** Maximum time for the server to start or to end: 20 s. */
	private static final Duration START_TIMEOUT = Duration.ofSeconds(20);

	private final int port = Ports.free();

	private final GenericContainer<?> container;

	private RedisContainerFixture(String... options) {
		List<String> command = new ArrayList<>(List.of("--protected-mode", "no", "--save", "", "--appendonly", "no"));
		command.addAll(List.of(options));
		this.container = new GenericContainer<>(image()).withLabel("io.lockstarter.test", "true")
			.withExposedPorts(REDIS_PORT)
			.withCommand(command.toArray(String[]::new))
			.waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));
		// A port that the host chooses would change with each restart
		this.container.setPortBindings(List.of(String.format(Locale.ROOT, "%d:%d", this.port, REDIS_PORT)));
	}

	public static RedisContainerFixture start(String... options) {
		RedisContainerFixture redis = new RedisContainerFixture(options);
		redis.container.start();
		redis.awaitReady();
		return redis;
	}

	/**
	 * Returns the image, for containers that tests create themselves.
	 */
	public static DockerImageName image() {
		String configured = configuredImage();
		return DockerImageName.parse((configured != null) ? configured : "redis:7.4")
			.asCompatibleSubstituteFor("redis");
	}

	private static @Nullable String configuredImage() {
		String image = System.getenv("LOCK_TEST_REDIS_IMAGE");
		return (image != null) ? image : System.getProperty("lock.test.redis.image");
	}

	/** Returns the reason why no container can run here. */
	static Optional<String> obstacle() {
		return Optional.ofNullable(Docker.OBSTACLE);
	}

	@Override
	public String host() {
		return this.container.getHost();
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public void kill() {
		// Docker does not kill a paused container
		resume();
		if (isTrue(state().getRunning())) {
			docker().killContainerCmd(id()).exec();
			await("End of the container").atMost(START_TIMEOUT).until(() -> !isTrue(state().getRunning()));
		}
	}

	@Override
	public void restart() {
		kill();
		docker().startContainerCmd(id()).exec();
		awaitReady();
	}

	@Override
	public void stop() {
		docker().pauseContainerCmd(id()).exec();
	}

	@Override
	public void resume() {
		if (isTrue(state().getPaused())) {
			docker().unpauseContainerCmd(id()).exec();
		}
	}

	@Override
	public void close() {
		resume();
		this.container.stop();
	}

	private void awaitReady() {
		await("Redis in a container").pollInterval(Duration.ofMillis(20)).atMost(START_TIMEOUT).until(this::isReady);
	}

	private boolean isReady() {
		try {
			return "PONG".equals(cli("PING"));
		}
		catch (UncheckedIOException | RespClient.ErrorReply ex) {
			return false;
		}
	}

	private ContainerState state() {
		return docker().inspectContainerCmd(id()).exec().getState();
	}

	private String id() {
		return this.container.getContainerId();
	}

	private DockerClient docker() {
		return this.container.getDockerClient();
	}

	private static boolean isTrue(@Nullable Boolean value) {
		return Boolean.TRUE.equals(value);
	}

	/**
	 * Availability of a Docker engine and of the image, which is checked once.
	 */
	private static final class Docker {

		/** Maximum time to pull the image: 120 s. */
		private static final long PULL_SECONDS = 120;

		static final @Nullable String OBSTACLE = findObstacle();

		private static @Nullable String findObstacle() {
			if (!isEngineAvailable()) {
				return "no Docker engine is available";
			}
			return (configuredImage() != null) ? null : obstacleToPull(image().asCanonicalNameString());
		}

		// A configured image is tried even if a helper of Testcontainers is missing
		private static boolean isEngineAvailable() {
			try {
				return DockerClientFactory.instance().isDockerAvailable();
			}
			catch (RuntimeException ex) {
				return configuredImage() != null;
			}
		}

		private static @Nullable String obstacleToPull(String image) {
			try {
				DockerClient docker = DockerClientFactory.instance().client();
				if (isPresent(docker, image)) {
					return null;
				}
				if (!docker.pullImageCmd(image).start().awaitCompletion(PULL_SECONDS, TimeUnit.SECONDS)) {
					return String.format(Locale.ROOT, "the image %s was not pulled within %d s", image, PULL_SECONDS);
				}
				// A completed pull may have ended with an error
				return isPresent(docker, image) ? null
						: "the image %s is missing and cannot be pulled".formatted(image);
			}
			catch (RuntimeException ex) {
				return "the image %s is missing and cannot be pulled: %s".formatted(image, ex.getMessage());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return "the pull of " + image + " was interrupted";
			}
		}

		private static boolean isPresent(DockerClient docker, String image) {
			try {
				docker.inspectImageCmd(image).exec();
				return true;
			}
			catch (NotFoundException ex) {
				return false;
			}
		}

	}

}
