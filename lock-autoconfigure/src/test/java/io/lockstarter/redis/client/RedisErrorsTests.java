package io.lockstarter.redis.client;

import java.util.List;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.redis.client.RedisFailure.Kind;
import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.ScriptCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.ClusterStateFailureException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisErrors}, with the words of Redis 6.2, 7.0 and 8.0, and Valkey 8.1
 * and 9.1.
 */
class RedisErrorsTests {

	@ParameterizedTest
	@ValueSource(strings = { "CROSSSLOT Keys in request don't hash to the same slot", "ERR keys must be in same slot",
			"ERR 'EVALSHA' keys do not hash to the same slot",
			"ERR Script attempted to access a non local key in a cluster node" })
	void knowsWhatProxiesSayOfKeysOnSeveralServers(String text) {
		assertThat(isCrossSlot(new RedisFailure(Kind.REFUSED, text, null))).isTrue();
		assertThat(isCrossSlot(new RedisFailure(Kind.LOST, text, null))).isFalse();
		assertThat(isCrossSlot(new RedisFailure(Kind.REFUSED, "ERR unknown", null))).isFalse();
		assertThat(RedisErrors.isCrossSlot(null)).isFalse();
	}

	private static boolean isCrossSlot(RedisFailure failure) {
		return RedisErrors.isCrossSlot(RedisErrors.translate("name", failure));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					NOT_AUTHORIZED | NOAUTH Authentication required.
					NOT_AUTHORIZED | WRONGPASS invalid username-password pair or user is disabled.
					NOT_AUTHORIZED | NOPERM this user has no permissions to access one of the keys used as arguments
					NOT_AUTHORIZED | NOPERM No permissions to access a key
					NOT_AUTHORIZED | ERR The user executing the script can't run this command or subcommand script: 08be, on @user_script:1.
					NOT_AUTHORIZED | ERR The user executing the script can't publish to the channel mentioned in the command script: 08be, on @user_script:1.
					NOT_AUTHORIZED | ERR ACL failure in script: User app has no permissions to run the 'hset' command script: 08be, on @user_script:1.
					NOT_AUTHORIZED | ERR ACL failure in script: No permissions to access a channel script: on @user_script:1.
					OUT_OF_MEMORY  | OOM command not allowed when used memory > 'maxmemory'. script: on @user_script:1.
					OUT_OF_MEMORY  | ERR Error running script (call to f_08be): @user_script:1: -OOM command not allowed when used memory > 'maxmemory'.
					READ_ONLY      | READONLY You can't write against a read only replica. script: 08be, on @user_script:1.
					WRITES_REFUSED | NOREPLICAS Not enough good replicas to write. script: 08be, on @user_script:1.
					WRITES_REFUSED | ERR Error running script (call to f_08be): @user_script:1: -NOREPLICAS Not enough good replicas to write.
					WRITES_REFUSED | MISCONF Errors writing to the AOF file: No space left on device script: 08be, on @user_script:1.
					WRITES_REFUSED | ERR Error running script (call to f_08be): @user_script:1: -MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.
					LOADING        | LOADING Redis is loading the dataset in memory
					LOADING        | BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
					CLUSTER_DOWN   | CLUSTERDOWN The cluster is down
					CLUSTER_DOWN   | TRYAGAIN Multiple keys request during rehashing of slot
					LOADING        | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.
					OTHER          | ERR unknown command 'EVALSHA'
					""")
	void translatesWhatRedisRefuses(Reason reason, String text) {
		assertThat(RedisErrors.translate("a", new RedisFailure(Kind.REFUSED, text, null)).reason()).isEqualTo(reason);
	}

	/** Spring Data keeps the messages of a cluster's nodes, but not their causes. */
	@Test
	void explainsThatNoNodeCanBeReached() {
		Throwable failure = new ClusterStateFailureException(
				"Could not retrieve cluster information; CLUSTER NODES returned with error"
						+ "\n\t- 127.0.0.1:7000 failed: Could not get a resource from the pool");
		assertThat(RedisErrors.translate("a", new RedisFailure(Kind.UNREACHABLE, failure)).detail())
			.contains("a node cannot be reached", "check that all nodes of the cluster are reachable");
	}

	@ParameterizedTest
	@ValueSource(strings = { "WRONGTYPE Operation against a key holding the wrong kind of value",
			"ERR Error running script (call to f_08be): @user_script:1: WRONGTYPE Operation against a key holding the wrong kind of value" })
	void knowsForeignWaitersInEveryVersion(String text) {
		LockBackendException failure = RedisErrors.translate("a", List.of("lock", "fence", "waiters", "clients"),
				new RedisFailure(Kind.REFUSED, text, null));
		assertThat(failure.reason()).isEqualTo(Reason.FOREIGN_KEY);
		assertThat(failure).hasMessageContaining("no sorted set at waiters");
	}

	@Test
	void takesNoTextOfAScriptForACode() {
		RedisFailure failure = new RedisFailure(Kind.REFUSED, "ERR no such thing: WRONGTYPE of it", null);
		assertThat(failure.hasCode("WRONGTYPE")).isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					CLUSTERDOWN The cluster is down                                     | check CLUSTER INFO, and bring the missing nodes back
					CLUSTERDOWN Hash slot not served                                    | check CLUSTER INFO, and bring the missing nodes back
					TRYAGAIN Multiple keys request during rehashing of slot             | try again later
					MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'. | connect to the master
					LOADING Redis is loading the dataset in memory                      | try again when it has loaded its data
					MISCONF Errors writing to the AOF file: No space left on device     | check its log and its free disk space
					OOM command not allowed when used memory > 'maxmemory'.             | raise maxmemory of this Redis
					""")
	void tellsTheNextStep(String text, String advice) {
		assertThat(RedisErrors.translate("a", new RedisFailure(Kind.REFUSED, text, null)))
			.hasMessageContaining(text.replaceFirst("\\.$", "") + "; ")
			.hasMessageContaining(advice);
	}

	/** Versions tell the line in different ways, and the newest the command. */
	@ParameterizedTest
	@ValueSource(strings = { "ERR Unknown Redis command called from script script: 08be, on @user_script:%d.",
			"ERR Error running script (call to f_08be): @user_script:%d: @user_script: %<d: Unknown Redis command" })
	void namesTheCommandThatAScriptMayNotCall(String words) {
		ScriptCall call = new ScriptCall(LuaScript.PROBE, List.of("lock:probe"), List.of());
		long line = LuaScript.PROBE.text().lines().takeWhile((source) -> !source.contains("redis.call")).count() + 1;
		String text = words.formatted(line);
		RedisFailure failure = new RedisFailure(Kind.REFUSED, text, null);
		assertThat(failure.about(call.commandsAt(text)).text()).isEqualTo(text + " (the command: DEL of lock:probe)");
		assertThat(failure.about(call.commandsAt("ERR @user_script:999.")).text()).isEqualTo(text);
		RedisFailure named = new RedisFailure(Kind.REFUSED, "no permissions to run the 'del' command", null);
		assertThat(named.about(call.commandsAt(text))).isSameAs(named);
	}

}
