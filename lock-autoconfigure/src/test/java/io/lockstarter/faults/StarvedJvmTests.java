package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Cold JVM that may use only a fifth of a processor, like a small container with a CPU
 * quota of 0.2, which stops all threads for 80 ms in each period of 100 ms.
 */
@Tag("stress")
class StarvedJvmTests extends RedisOfItsOwn {

	private static final String QUOTA = "while kill -s STOP $0 2>/dev/null; do sleep 0.08; kill -s CONT $0; sleep 0.02; done";

	/** Both compilers, as in an application. */
	private static final List<String> COMPILERS = List.of("-XX:TieredStopAtLevel=4");

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void firstLockIsGranted(String library) throws Exception {
		ChildJvm child = this.registries
			.keep(ChildJvm.start(COMPILERS, Starved.class, String.valueOf(this.redis.port()), library));
		Process quota = new ProcessBuilder("sh", "-c", QUOTA, String.valueOf(child.pid())).start();
		this.registries.keep(quota::destroy);
		String outcome = child.awaitLine((line) -> line.startsWith("first lock"), Duration.ofSeconds(100));
		report("%s, a fifth of a processor: %s", library, outcome);
		assertThat(outcome).startsWith("first lock granted");
	}

	/**
	 * Application whose first action is to acquire a lock.
	 */
	static final class Starved {

		private Starved() {
		}

		public static void main(String[] arguments) throws Exception {
			ChildJvm.exitWithParent();
			RedisStandaloneConfiguration address = new RedisStandaloneConfiguration("127.0.0.1",
					Integer.parseInt(arguments[0]));
			try (Registries registries = new Registries()) {
				RedisClients clients = registries.keep(new RedisClients());
				DefaultLockRegistry registry = registries.open(arguments[1].equals("jedis")
						? clients.connect(new JedisConnectionFactory(address)) : clients.connect(address),
						Duration.ofSeconds(30));
				long start = System.nanoTime();
				try (LockHandle first = registry.acquire(LockRequest.of("a").waitTime(Duration.ZERO))) {
					System.out.printf("first lock granted after %d ms%n", since(start).toMillis());
				}
				catch (RuntimeException ex) {
					System.out.printf("first lock failed after %d ms: %s%n", since(start).toMillis(), ex);
				}
			}
		}

	}

}
