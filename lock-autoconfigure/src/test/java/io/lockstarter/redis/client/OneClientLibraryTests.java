package io.lockstarter.redis.client;

import java.io.File;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Each client library works where the other one is missing.
 */
class OneClientLibraryTests {

	@ParameterizedTest
	@CsvSource({ "withJedis, lettuce-core", "withLettuce, jedis-" })
	void worksWithoutTheOther(String method, String missing) throws Exception {
		try (RedisServer redis = RedisServer.startGuarded(); URLClassLoader classes = without(missing)) {
			Class<?> isolated = classes.loadClass(OneClientLibraryTests.class.getName());
			Method test = isolated.getDeclaredMethod(method, int.class);
			test.setAccessible(true);
			assertThat(withContext(classes, () -> test.invoke(null, redis.port())))
				.isEqualTo(List.of("Granted", "RELEASED"));
		}
	}

	@Test
	void leavesOutWhatItSays() throws Exception {
		try (URLClassLoader classes = without("lettuce-core")) {
			assertThatExceptionOfType(ClassNotFoundException.class)
				.isThrownBy(() -> classes.loadClass("io.lettuce.core.RedisClient"));
		}
	}

	/** Lettuce looks for classes in the context of the thread. */
	private static Object withContext(ClassLoader classes, Callable<Object> call) throws Exception {
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		Thread.currentThread().setContextClassLoader(classes);
		try {
			return call.call();
		}
		finally {
			Thread.currentThread().setContextClassLoader(before);
		}
	}

	private static URLClassLoader without(String library) {
		URL[] classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(File::new)
			.filter((file) -> !file.getName().startsWith(library))
			.map(OneClientLibraryTests::url)
			.toArray(URL[]::new);
		return new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
	}

	private static URL url(File file) {
		try {
			return file.toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static List<String> withJedis(int port) {
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port));
		factory.afterPropertiesSet();
		try (LockBackend backend = new RedisLockBackend(factory, "lock:", Duration.ofMinutes(1))) {
			return use(backend);
		}
		finally {
			factory.destroy();
		}
	}

	static List<String> withLettuce(int port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", port);
		factory.afterPropertiesSet();
		try (LockBackend backend = new RedisLockBackend(factory, "lock:", Duration.ofMinutes(1))) {
			return use(backend);
		}
		finally {
			factory.destroy();
		}
	}

	private static List<String> use(LockBackend backend) {
		TenureId tenure = new TenureId(backend.clientId(), 1);
		Object granted = backend
			.acquire(new LockBackend.Acquire("a", tenure, LockType.REENTRANT, "me", Duration.ofSeconds(10), null))
			.join();
		Object released = backend.release(new LockBackend.Release("a", tenure, LockBackend.Release.Intent.LEAVE, null))
			.join()
			.outcome();
		return List.of(granted.getClass().getSimpleName(), released.toString());
	}

}
