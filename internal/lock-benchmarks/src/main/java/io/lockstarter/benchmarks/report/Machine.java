package io.lockstarter.benchmarks.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.baomidou.lock.LockTemplate;
import io.lettuce.core.RedisClient;
import io.lockstarter.testing.RedisServer;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.redisson.Redisson;

import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.util.ClassUtils;

/**
 * Machine of the benchmark.
 *
 * @param facts the facts by name
 */
public record Machine(Map<String, String> facts) {

	private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

	/** System load above which measurements are disturbed. */
	private static final double BUSY = 0.5;

	/**
	 * Inspects this machine.
	 * @param roundTrip the additional round-trip time to Redis
	 * @return the facts
	 */
	public static Machine inspect(Duration roundTrip) {
		Map<String, String> facts = new LinkedHashMap<>();
		facts.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
		facts.put("processor", Runtime.getRuntime().availableProcessors() + " × " + processor());
		facts.put("system", "%s %s %s".formatted(System.getProperty("os.name"), System.getProperty("os.version"),
				System.getProperty("os.arch")));
		facts.put("load before", load());
		facts.put("JVM", "%s %s".formatted(System.getProperty("java.vm.name"), System.getProperty("java.vm.version")));
		facts.put("Redis", redisVersion() + ", on the loopback interface, without persistence");
		if (!roundTrip.isZero()) {
			facts.put("network", "a proxy that delays each round trip by %s ms".formatted(roundTrip.toNanos() / 1e6));
		}
		facts.put("transport of the clients", transport());
		facts.put("libraries", libraries());
		return new Machine(facts);
	}

	private static String processor() {
		return lines(PROCESSORS).stream()
			.filter((line) -> line.startsWith("model name"))
			.map((line) -> line.substring(line.indexOf(':') + 2))
			.findFirst()
			.orElse("unknown");
	}

	private static String load() {
		double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
		String text = Numbers.format(load, 2);
		return (load > BUSY) ? text + " (**busy: the times below are unreliable**)" : text;
	}

	private static List<String> lines(Path file) {
		try {
			return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String redisVersion() {
		try (RedisServer redis = RedisServer.start()) {
			String info = String.valueOf(redis.cli("INFO", "server"));
			return info.lines()
				.filter((line) -> line.startsWith("redis_version:"))
				.map((line) -> line.substring(line.indexOf(':') + 1))
				.findFirst()
				.orElse("unknown");
		}
	}

	private static String transport() {
		boolean epoll = ClassUtils.isPresent("io.netty.channel.epoll.Epoll", null);
		return epoll ? "native epoll where the client uses it" : "NIO";
	}

	private static String libraries() {
		return Stream
			.of(RedisClient.class, RedisTemplate.class, Redisson.class, RedisLockRegistry.class,
					RedisLockProvider.class, LockTemplate.class)
			.map(Machine::jar)
			.collect(Collectors.joining(", "));
	}

	private static String jar(Class<?> type) {
		String location = Objects.requireNonNull(type.getProtectionDomain().getCodeSource()).getLocation().getPath();
		return String.valueOf(Path.of(location).getFileName()).replace(".jar", "");
	}

	List<String> describe() {
		List<String> lines = new ArrayList<>();
		this.facts.forEach((name, fact) -> lines.add("- %s: %s".formatted(name, fact)));
		return lines;
	}

}
