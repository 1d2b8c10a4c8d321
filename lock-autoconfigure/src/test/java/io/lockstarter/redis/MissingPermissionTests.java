package io.lockstarter.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.redis.script.ScriptClient;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A Redis user who lacks one of the published permissions: what is refused in the middle
 * of a script leaves no lock behind that never expires. A fence may be left, and places
 * among the waiting, which expire once the lock is asked for again.
 */
class MissingPermissionTests {

	private static RedisServer redis;

	private static final RedisClients clients = new RedisClients();

	private static List<LockBackend> backends = List.of();

	/** What is done without the permission. */
	private final List<Runnable> attempts = new ArrayList<>();

	private int locks;

	@BeforeAll
	static void connect() {
		redis = RedisServer.startGuarded();
		backends = Stream.generate(() -> clients.connect(redis.host(), redis.port())).limit(3).toList();
		for (LockBackend backend : backends) {
			ScriptClient client = new ScriptClient(backend, "listening");
			client.queue(LockType.WRITE, 1);
			client.queue(LockType.WRITE, 2);
			client.listening();
			client.release(1, Intent.LEAVE, null);
			client.release(2, Intent.LEAVE, null);
		}
	}

	@AfterAll
	static void disconnect() throws Exception {
		clients.close();
		redis.close();
	}

	@AfterEach
	void forget() {
		redis.cli("ACL", "LOG", "RESET");
		redis.cli("FLUSHALL");
	}

	static Stream<String> permissions() {
		List<?> user = (List<?>) Objects.requireNonNull(redis.cli("ACL", "GETUSER", "default"));
		String rules = (String) user.get(user.indexOf("commands") + 1);
		// Before Redis 7 the rest of a command cannot be refused apart from the whole
		boolean wholeCommands = redis.info("redis_version").startsWith("6.");
		return Stream.of(rules.split(" "))
			.filter((rule) -> rule.startsWith("+") && !(wholeCommands && rule.contains("|")))
			.map((rule) -> rule.substring(1));
	}

	@ParameterizedTest
	@MethodSource("permissions")
	void leavesNoLockBehindThatNeverExpires(String command) {
		for (LockType type : LockType.values()) {
			beginToLock(type);
			beginToLockAgain(type);
			beginToWait(type);
			beginToRelease(type);
		}
		without(command, () -> this.attempts.forEach(MissingPermissionTests::attempt));
		assertThat(endless()).isEmpty();
	}

	private void beginToLock(LockType type) {
		ScriptClient free = lock().get(0);
		this.attempts.add(() -> free.acquire(type, 1));
		List<ScriptClient> marked = lock();
		marked.forEach((client) -> client.release(9));
		this.attempts.add(() -> marked.get(0).acquire(type, 10));
		List<ScriptClient> reading = lock();
		reading.get(0).acquire(LockType.READ, 1);
		this.attempts.add(() -> reading.get(1).acquire(type, 1));
		List<ScriptClient> awaited = lock();
		awaited.get(0).acquire(LockType.WRITE, 1);
		awaited.get(1).queue(type, 1);
		awaited.get(2).queue(type, 1);
		redis.cli("DEL", key(awaited.get(0)));
		this.attempts.add(() -> awaited.get(1).acquire(type, 1));
	}

	private void beginToLockAgain(LockType type) {
		ScriptClient holder = lock().get(0);
		holder.acquire(type, 1);
		redis.cli("DEL", key(holder) + ":clients");
		this.attempts.add(() -> holder.acquire(type, 1));
		ScriptClient renewing = lock().get(0);
		renewing.acquire(type, 1);
		redis.cli("DEL", key(renewing) + ":clients");
		this.attempts.add(() -> renewing.renew(1, ScriptClient.LEASE.multipliedBy(2)));
	}

	private void beginToWait(LockType type) {
		List<ScriptClient> held = lock();
		held.get(0).acquire(LockType.WRITE, 1);
		this.attempts.add(() -> held.get(1).queue(type, 1));
		List<ScriptClient> forgotten = lock();
		forgotten.get(0).acquire(LockType.WRITE, 1);
		redis.cli("DEL", key(forgotten.get(0)) + ":clients");
		this.attempts.add(() -> forgotten.get(1).queue(type, 1));
	}

	private void beginToRelease(LockType type) {
		ScriptClient late = lock().get(0);
		this.attempts.add(() -> late.release(1));
		for (Intent intent : Intent.values()) {
			for (boolean offers : new boolean[] { true, false }) {
				List<ScriptClient> held = lock();
				ScriptClient holder = held.get(0);
				holder.acquire(LockType.WRITE, 1);
				held.get(1).send(held.get(1).waiting(type, 1, offers));
				held.get(2).send(held.get(2).waiting(LockType.WRITE, 1, offers));
				this.attempts.add(() -> holder.release(1, intent,
						(intent == Intent.YIELD) ? holder.waiting(type, 2, offers) : null));
			}
		}
	}

	/** A lock of its own, and three who may want it. */
	private List<ScriptClient> lock() {
		String name = "lock-" + this.locks++;
		return backends.stream().map((backend) -> new ScriptClient(backend, name)).toList();
	}

	private static String key(ScriptClient client) {
		return "lock:{" + client.lock() + "}";
	}

	/** Whether it works or is refused. */
	private static void attempt(Runnable command) {
		try {
			command.run();
		}
		catch (CompletionException ex) {
			assertThat(ex).hasCauseInstanceOf(LockBackendException.class);
		}
	}

	private static void without(String command, Runnable attempts) {
		redis.cli("ACL", "SETUSER", "default", "-" + command);
		try {
			attempts.run();
		}
		finally {
			redis.cli("ACL", "SETUSER", "default", "+" + command);
		}
	}

	private static List<?> endless() {
		List<?> keys = (List<?>) Objects.requireNonNull(redis.cli("KEYS", "lock:*"));
		return keys.stream()
			.filter((key) -> key.toString().startsWith("lock:{") && key.toString().endsWith("}"))
			.filter((key) -> Long.valueOf(-1).equals(redis.cli("PTTL", key.toString())))
			.toList();
	}

	@ParameterizedTest
	@EnumSource
	void refusesALockThatCannotBeMadeToExpireAndGrantsItWhenItCan(LockType type) {
		ScriptClient client = lock().get(0);
		without("pexpire", () -> assertRefused(client, type));
		assertThat(redis.cli("EXISTS", key(client))).isEqualTo(0L);
		assertThat(client.acquire(type, 2)).isInstanceOf(Granted.class);
		assertThat(endless()).isEmpty();
	}

	@Test
	void takesNothingFromOtherReadersWhenOneIsRefused() {
		List<ScriptClient> readers = lock();
		readers.get(0).acquire(LockType.READ, 1);
		redis.cli("PEXPIRE", key(readers.get(0)), "20000");
		without("pexpire", () -> assertRefused(readers.get(1), LockType.READ));
		assertThat(holders(readers.get(0))).containsExactlyInAnyOrder("shared", "by",
				readers.get(0).tenure(1).toString());
		assertThat(readers.get(1).acquire(LockType.READ, 2)).isInstanceOf(Granted.class);
	}

	private static List<String> holders(ScriptClient client) {
		List<?> fields = (List<?>) Objects.requireNonNull(redis.cli("HKEYS", key(client)));
		return fields.stream().map(Object::toString).toList();
	}

	private static void assertRefused(ScriptClient client, LockType type) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> client.acquire(type, 1))
			.havingCause()
			.isInstanceOfSatisfying(LockBackendException.class,
					(failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_AUTHORIZED));
	}

	/**
	 * Nobody can be told that the lock is free, so it is kept for the first who waits.
	 */
	@ParameterizedTest
	@EnumSource
	void keepsTheTurnOfOneWhoCannotBeSentAMessage(LockType type) {
		List<ScriptClient> clients = lock();
		ScriptClient holder = clients.get(0);
		ScriptClient first = clients.get(1);
		holder.acquire(LockType.WRITE, 1);
		OptionalLong place = ((Refused) first.queue(type, 1)).position();
		without("publish",
				() -> assertThat(holder.release(1, Intent.YIELD, holder.waiting(LockType.WRITE, 2, true)).position())
					.isPresent());
		assertThat(redis.cli("EXISTS", key(first))).isEqualTo(0L);
		assertThat(clients.get(2).acquire(LockType.WRITE, 1)).isInstanceOf(Refused.class);
		assertThat(holder.acquire(LockType.WRITE, 2)).isInstanceOf(Refused.class);
		assertThat(first.queueAgain(type, 1, place)).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.contended()).as("by the holder before").isTrue());
		assertThat(first.release(1)).isEqualTo(Outcome.RELEASED);
		await().until(() -> !holder.offers.isEmpty());
	}

	/** A turn ends with whoever does not take it. */
	@Test
	void keepsNoTurnForOneWhoHasLeft() {
		List<ScriptClient> clients = lock();
		clients.get(0).acquire(LockType.WRITE, 1);
		clients.get(1).queue(LockType.WRITE, 1);
		without("publish", () -> clients.get(0).release(1, Intent.LEAVE, null));
		assertThat(clients.get(2).acquire(LockType.WRITE, 1)).isInstanceOf(Refused.class);
		clients.get(1).release(1, Intent.LEAVE, null);
		assertThat(clients.get(2).acquire(LockType.WRITE, 2)).isInstanceOf(Granted.class);
		clients.get(2).release(2, Intent.LEAVE, null);
		assertThat(clients.get(0).acquire(LockType.WRITE, 2)).isInstanceOf(Granted.class);
	}

	/** Who reads on is not mistaken for nobody. */
	@ParameterizedTest
	@MethodSource("permissions")
	void grantsNothingToAWriterWhileAnotherReads(String command) {
		List<ScriptClient> reading = lock();
		reading.get(0).acquire(LockType.READ, 1);
		reading.get(1).acquire(LockType.READ, 1);
		reading.get(2).queue(LockType.WRITE, 1);
		without(command, () -> attempt(
				() -> reading.get(0).release(1, Intent.YIELD, reading.get(0).waiting(LockType.WRITE, 2, true))));
		assertThat(holders(reading.get(2))).doesNotContain(reading.get(2).tenure(1).toString());
	}

}
