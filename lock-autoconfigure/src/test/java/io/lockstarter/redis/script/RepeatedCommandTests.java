package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.OneLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of commands that a client sends again after a broken connection, while the
 * first copy may arrive before, after, or never.
 */
class RepeatedCommandTests extends OneLock {

	private static final String CLIENT = "c".repeat(32);

	private static final Long ENDED = 0L;

	private static final Long RELEASED = 1L;

	private static final Long RELEASED_BEFORE = 2L;

	private static final Long NOT_HELD = 3L;

	private static final Long UNKNOWN = 4L;

	private final LockScripts scripts = new LockScripts(new LockKeys("lock:", () -> CLIENT), () -> CLIENT,
			Duration.ofMinutes(10), true, () -> false);

	@ParameterizedTest
	@EnumSource
	void acquireTakesNothingAfterTheEndOfItsSecondCopy(LockType type) {
		ScriptCall acquire = acquire(1, type, null);
		Object base = send(acquire.repeated());
		assertThat(base).isInstanceOf(Long.class).isNotEqualTo(ENDED);
		assertThat(send(release(1))).isEqualTo(RELEASED);
		assertThat(send(acquire)).isEqualTo(ENDED);
		assertThat(exists(this.key)).isFalse();
		assertThat((Long) redis.cli("PTTL", this.key + ":clients")).isPositive();
	}

	@ParameterizedTest
	@EnumSource
	void acquireIsConfirmedByItsSecondCopy(LockType type) {
		ScriptCall acquire = acquire(1, type, null);
		Object base = send(acquire);
		assertThat(send(acquire.repeated())).isEqualTo(base);
		assertThat(send(release(1))).isEqualTo(RELEASED);
		assertThat(send(acquire)).isEqualTo(ENDED);
	}

	@Test
	void acquireTakesNothingAfterItsSecondCopyWasRefusedAndGivenUp() {
		ScriptClient holder = client();
		holder.acquire(LockType.WRITE, 1);
		ScriptCall acquire = acquire(1, LockType.WRITE, new Waiting(OptionalLong.empty(), Duration.ZERO, true));
		assertThat(send(acquire.repeated())).isInstanceOf(List.class);
		assertThat(send(release(1))).isEqualTo(NOT_HELD);
		holder.release(1);
		assertThat(send(acquire)).isEqualTo(ENDED);
	}

	@Test
	void nothingIsKeptOfAnAcquireThatWasSentOnce() {
		send(acquire(1, LockType.WRITE, null));
		assertThat(send(release(1))).isEqualTo(RELEASED);
		assertThat(exists(this.key + ":clients")).isFalse();
	}

	@Test
	void releaseThatFindsNothingCannotTellWhyIfItWasSentBefore() {
		send(acquire(1, LockType.WRITE, null));
		assertThat(send(release(1))).isEqualTo(RELEASED);
		assertThat(send(release(1).repeated())).isEqualTo(UNKNOWN);
		assertThat(send(release(2))).isEqualTo(NOT_HELD);
		assertThat(send(release(2).repeated())).isEqualTo(UNKNOWN);
	}

	@Test
	void releaseKnowsItselfAgainIfTheAcquireWasSentBefore() {
		send(acquire(1, LockType.WRITE, null).repeated());
		assertThat(send(release(1))).isEqualTo(RELEASED);
		assertThat(send(release(1).repeated())).isEqualTo(RELEASED_BEFORE);
	}

	@Test
	void releaseThatWasSentBeforeKnowsALossIfItWouldHaveLeftAMark() {
		send(acquire(1, LockType.WRITE, null).repeated());
		redis.cli("DEL", this.key);
		assertThat(send(release(1).repeated())).isEqualTo(NOT_HELD);
	}

	@Test
	void releaseEndsTheLockIfOnlyItsSecondCopyArrives() {
		send(acquire(1, LockType.READ, null));
		assertThat(send(release(1).repeated())).isEqualTo(RELEASED);
		assertThat(exists(this.key)).isFalse();
	}

	private ScriptCall acquire(long sequence, LockType type, @Nullable Waiting waiting) {
		return this.scripts
			.acquire(new Acquire(lockName(), tenure(sequence), type, "holder", ScriptClient.LEASE, waiting));
	}

	private ScriptCall release(long sequence) {
		return this.scripts.release(new Release(lockName(), tenure(sequence), Intent.STAY, null, true), false);
	}

	private static TenureId tenure(long sequence) {
		return new TenureId(CLIENT, sequence);
	}

	private String lockName() {
		return this.key.substring("lock:{".length(), this.key.length() - 1);
	}

	private static @Nullable Object send(ScriptCall call) {
		List<String> command = new ArrayList<>(
				List.of("EVAL", call.script().text(), Integer.toString(call.keys().size())));
		command.addAll(call.keysAndArguments());
		return redis.cli(command.toArray(String[]::new));
	}

}
