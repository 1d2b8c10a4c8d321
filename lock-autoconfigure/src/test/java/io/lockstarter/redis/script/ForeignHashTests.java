package io.lockstarter.redis.script;

import java.util.concurrent.CompletionException;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.redis.OneLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Hashes at the key of a lock that look like readers but are none: each is an error, and
 * left as it is.
 */
class ForeignHashTests extends OneLock {

	private static final String CLIENT = "0123456789abcdef0123456789abcdef";

	@ParameterizedTest
	@ValueSource(strings = { "a 1 b 2", "shared 1", "shared 1 other x", "shared 1 other x more 2", "shared 1 a 1",
			"shared 1 other:1 123_456", "shared 1 " + CLIENT + ":1 x", "shared 1 " + CLIENT + ":1 123_456_x",
			"shared readers a b", "shared lock-starter" })
	void areErrorsForEveryTypeAndLeftUntouched(String fields) {
		untouched(fields, LockType.values());
	}

	/** A value that nobody else writes is believed when it costs too much to check. */
	@ParameterizedTest
	@ValueSource(strings = { "shared lock-starter other x", "shared lock-starter " + CLIENT + ":1 x",
			"shared lock-starter " + CLIENT + ":1 1_1_dead other x" })
	void areErrorsForWritersEvenIfTheyCallThemselvesReaders(String fields) {
		untouched(fields, LockType.WRITE, LockType.REENTRANT, LockType.FAIR);
	}

	private void untouched(String fields, LockType... types) {
		String[] command = ("HSET " + this.key + " " + fields).split(" ");
		for (int i = 0; i < command.length; i++) {
			command[i] = command[i].replace('_', ' ');
		}
		redis.cli(command);
		Object before = redis.cli("DUMP", this.key);
		ScriptClient client = client();
		long sequence = 0;
		for (LockType type : types) {
			long tenure = ++sequence;
			assertThatExceptionOfType(CompletionException.class).as("%s", type)
				.isThrownBy(() -> client.acquire(type, tenure))
				.havingCause()
				.isInstanceOfSatisfying(LockBackendException.class,
						(failure) -> assertThat(failure.reason()).isEqualTo(Reason.FOREIGN_KEY));
			assertThat(client.renew(tenure, ScriptClient.LEASE)).isFalse();
			for (Intent intent : new Intent[] { Intent.LEAVE, Intent.RETURN, Intent.STAY, Intent.DOWNGRADE }) {
				assertThat(client.release(tenure, intent, null).outcome()).isEqualTo(Outcome.NOT_HELD);
			}
		}
		assertThat(redis.cli("DUMP", this.key)).isEqualTo(before);
		assertThat(redis.cli("PTTL", this.key)).isEqualTo(-1L);
	}

}
