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
 * A Redis in a container. Its image is the environment variable
 * {@code LOCK_TEST_REDIS_IMAGE}, or the system property {@code lock.test.redis.image}, or
 * {@code redis:7.4}. Tests that need an image which nobody named, and which cannot be
 * had, are skipped; they fail without one that was named.
 */
public final class RedisContainerFixture implements RedisFixture {

	private static final int REDIS_PORT = 6379;

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
		// A port of the host's choice would be another one after each restart
		this.container.setPortBindings(List.of(String.format(Locale.ROOT, "%d:%d", this.port, REDIS_PORT)));
	}

	public static RedisContainerFixture start(String... options) {
		RedisContainerFixture redis = new RedisContainerFixture(options);
		redis.container.start();
		redis.awaitReady();
		return redis;
	}

	/**
	 * The image that tests run, for containers made otherwise.
	 */
	public static DockerImageName image() {
		String named = namedImage();
		return DockerImageName.parse((named != null) ? named : "redis:7.4").asCompatibleSubstituteFor("redis");
	}

	private static @Nullable String namedImage() {
		String named = System.getenv("LOCK_TEST_REDIS_IMAGE");
		return (named != null) ? named : System.getProperty("lock.test.redis.image");
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
		// Docker does not kill what is paused
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
	 * Looks for an engine and the image once.
	 */
	private static final class Docker {

		private static final long PULL_SECONDS = 120;

		static final @Nullable String OBSTACLE = look();

		private static @Nullable String look() {
			if (!isEngineAvailable()) {
				return "no Docker engine answers";
			}
			return (namedImage() != null) ? null : obstacleToPull(image().asCanonicalNameString());
		}

		// Also without an engine's helpers, such as the image of what cleans up
		private static boolean isEngineAvailable() {
			try {
				return DockerClientFactory.instance().isDockerAvailable();
			}
			catch (RuntimeException ex) {
				return namedImage() != null;
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
				// The end of a pull is no success: an error may have been its last word
				return isPresent(docker, image) ? null
						: "the image %s is not here and cannot be pulled".formatted(image);
			}
			catch (RuntimeException ex) {
				return "the image %s is not here and cannot be pulled: %s".formatted(image, ex.getMessage());
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
