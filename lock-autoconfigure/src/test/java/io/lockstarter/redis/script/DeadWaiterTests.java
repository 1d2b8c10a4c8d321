package io.lockstarter.redis.script;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import io.lockstarter.core.LockType;
import io.lockstarter.redis.OneLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A waiter that is dead takes nobody's turn, however Redis's clock has been set since it
 * was last heard of.
 */
class DeadWaiterTests extends OneLock {

	private static final Pattern RULE = Pattern.compile("local function is_alive.*?\nend\n", Pattern.DOTALL);

	/** It keeps its place when it is told of its turn, so that it could be told again. */
	@ParameterizedTest
	@ValueSource(longs = { 2100, -60_000, -3_600_000 })
	void isNotWoken(long age) {
		ScriptClient holder = client();
		ScriptClient dead = client().listening();
		ScriptClient living = client().listening();
		holder.acquire(LockType.REENTRANT, 1);
		dead.queueForWake(LockType.REENTRANT, 1);
		living.queueForWake(LockType.REENTRANT, 1);
		age(dead, age);
		holder.release(1);
		await().until(() -> !living.wakes.isEmpty());
		assertThat(dead.wakes).isEmpty();
		assertThat(redis.cli("ZSCORE", this.waiters, "lock:wake:" + dead.id())).isNull();
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void isNotGranted(LockType type) {
		ScriptClient holder = client();
		ScriptClient dead = client().listening();
		ScriptClient living = client().listening();
		holder.acquire(LockType.REENTRANT, 1);
		dead.queue(type, 1);
		living.queue(LockType.REENTRANT, 1);
		age(dead, -60_000);
		holder.release(1);
		await().until(() -> !living.offers.isEmpty());
		assertThat(dead.offers).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(longs = { 60_000, -60_000 })
	void isForgottenWhereManyHaveComeAndGone(long age) {
		ScriptClient dead = client();
		client().acquire(LockType.REENTRANT, 1);
		dead.queueForWake(LockType.REENTRANT, 1);
		age(dead, age);
		LongStream.range(0, 80).forEach((i) -> redis.cli("HSET", this.clients, "%032x".formatted(i), "1"));
		redis.cli("DEL", this.key);
		client().acquire(LockType.REENTRANT, 1);
		assertThat(hash(this.clients)).doesNotContainKey("w:" + dead.id());
	}

	@Test
	void isToldFromTheLivingByOneRule() {
		assertThat(rule(LuaScript.ACQUIRE)).isEqualTo(rule(LuaScript.RELEASE));
		assertThat(LuaScript.ACQUIRE.text() + LuaScript.RELEASE.text()).as("times compared past the rule")
			.doesNotContain("- seen <", "- seen >");
	}

	private static String rule(LuaScript script) {
		Matcher rule = RULE.matcher(script.text());
		assertThat(rule.find()).isTrue();
		return rule.group();
	}

}
