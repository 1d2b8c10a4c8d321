package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.AlreadyEnded;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.redis.OneLock;
import io.lockstarter.testing.CommandStats;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the scripts keep of readers: commands that are repeated, late, or from the dead.
 */
class ReaderScriptTests extends OneLock {

	private static final Duration SHORT = Duration.ofMillis(300);

	@Test
	void answersARepeatedAcquireWithItsOwnBaseAlthoughAnotherCameLater() {
		ScriptClient one = client();
		ScriptClient two = client();
		long first = one.base(LockType.READ, 1);
		long second = two.base(LockType.READ, 1);
		assertThat(second).isGreaterThan(first);
		assertThat(one.base(LockType.READ, 1)).isEqualTo(first);
		assertThat(two.base(LockType.READ, 1)).isEqualTo(second);
		assertThat(hash(this.key)).hasSize(4);
		one.release(1);
		two.release(1);
		assertThat(client().base(LockType.WRITE, 1)).isGreaterThan(second);
	}

	@Test
	void keepsALongerLeaseWhenAnAcquireComesAgain() {
		ScriptClient reader = client();
		reader.acquire(LockType.READ, 1);
		assertThat(reader.renew(1, Duration.ofHours(1))).isTrue();
		String share = share(reader, 1);
		assertThat(reader.acquire(LockType.READ, 1)).isInstanceOf(Granted.class);
		assertThat(share(reader, 1)).isEqualTo(share);
	}

	@Test
	void keepsALongerLeaseWhenARenewalComesLate() {
		ScriptClient reader = client();
		reader.acquire(LockType.READ, 1);
		assertThat(reader.renew(1, Duration.ofHours(1))).isTrue();
		String share = share(reader, 1);
		assertThat(reader.renew(1, ScriptClient.LEASE)).isTrue();
		assertThat(share(reader, 1)).isEqualTo(share);
	}

	/** The message may not have come, and lets nobody have the lock for long. */
	@Test
	void keepsALockForAWholeLeaseThatIsAskedForAfterItsGrantByMessage() {
		ScriptClient writer = client();
		ScriptClient reader = client().listening();
		writer.acquire(LockType.WRITE, 1);
		reader.queue(LockType.READ, 1);
		writer.release(1, Intent.LEAVE, null);
		await().until(() -> !reader.offers.isEmpty());
		assertThat(reader.acquire(LockType.READ, 1)).isInstanceOf(Granted.class);
		assertThat((Long) redis.cli("PTTL", this.key)).isGreaterThan(10_000);
	}

	private String share(ScriptClient reader, long sequence) {
		return hash(this.key).get(reader.tenure(sequence).toString());
	}

	@Test
	void letsAWriterInWhenTheShareOfADeadReaderIsOver() {
		ScriptClient dead = client();
		ScriptClient writer = client();
		acquireForAShortTime(dead);
		assertThat(writer.acquire(LockType.WRITE, 1)).isInstanceOf(Refused.class);
		pass(SHORT.plusMillis(1));
		assertThat(writer.acquire(LockType.WRITE, 2)).isInstanceOf(Granted.class);
		assertThat(hash(this.key)).containsOnlyKeys(writer.tenure(2).toString(), "by");
		assertThat(dead.renew(1, ScriptClient.LEASE)).isFalse();
		assertThat(dead.release(1)).isEqualTo(Outcome.NOT_HELD);
	}

	@Test
	void letsAWriterInAtOnceWhenTheSharesOfManyDeadReadersAreOver() {
		ScriptClient living = client();
		ScriptClient writer = client();
		letManyDieBeside(living);
		living.release(1);
		assertThat((Long) redis.cli("PTTL", this.key)).isGreaterThan(10_000);
		assertThat(writer.acquire(LockType.WRITE, 1)).isInstanceOf(Granted.class);
		assertThat(hash(this.key)).containsOnlyKeys(writer.tenure(1).toString(), "by");
	}

	@Test
	void forgetsDeadReadersInTheEndWhenThereAreMany() {
		ScriptClient living = client();
		letManyDieBeside(living);
		AtomicLong sequence = new AtomicLong(1);
		await().until(() -> {
			assertThat(living.acquire(LockType.READ, sequence.incrementAndGet())).isInstanceOf(Granted.class);
			living.release(sequence.get());
			return hash(this.key).size() == 3;
		});
		assertThat(living.renew(1, ScriptClient.LEASE)).isTrue();
	}

	private void letManyDieBeside(ScriptClient living) {
		ScriptClient dead = client();
		living.acquire(LockType.READ, 1);
		for (int i = 1; i <= 200; i++) {
			dead.acquire(LockType.READ, i, SHORT);
		}
		pass(SHORT.plusSeconds(1));
	}

	@Test
	void looksAtTheOtherReadersButNowAndThenWhenThereAreMany() {
		ScriptClient reader = client();
		for (int i = 1; i <= 1000; i++) {
			reader.acquire(LockType.READ, i);
		}
		CommandStats before = CommandStats.of(redis::cli);
		for (int i = 1001; i <= 1300; i++) {
			reader.acquire(LockType.READ, i);
		}
		assertThat(CommandStats.of(redis::cli).minus(before).calls("hgetall")).isLessThan(100);
	}

	/** Have a share that ends long before the key expires. */
	private void acquireForAShortTime(ScriptClient reader) {
		ScriptClient passing = client();
		passing.acquire(LockType.READ, 1);
		reader.acquire(LockType.READ, 1, SHORT);
		passing.release(1);
		assertThat((Long) redis.cli("PTTL", this.key)).isGreaterThan(10_000);
	}

	@Test
	void tellsAReaderThatItsShareIsOverWhileOthersKeepTheLock() {
		ScriptClient late = client();
		ScriptClient living = client();
		late.acquire(LockType.READ, 1, SHORT);
		living.acquire(LockType.READ, 1);
		pass(SHORT.plusMillis(1));
		assertThat(late.renew(1, Duration.ZERO)).isFalse();
		assertThat(late.renew(1, ScriptClient.LEASE)).isFalse();
		assertThat(late.release(1)).isEqualTo(Outcome.NOT_HELD);
		assertThat(living.renew(1, ScriptClient.LEASE)).isTrue();
		assertThat(client().acquire(LockType.WRITE, 1)).isInstanceOf(Refused.class);
		assertThat(living.release(1)).isEqualTo(Outcome.RELEASED);
		assertThat(exists(this.key)).isFalse();
	}

	@Test
	void leavesNothingWhenTheLastReaderLearnsThatItsShareIsOver() {
		ScriptClient late = client();
		acquireForAShortTime(late);
		pass(SHORT.plusMillis(1));
		assertThat(late.renew(1, Duration.ZERO)).isFalse();
		assertThat(exists(this.key)).isFalse();
		assertThat(client().acquire(LockType.WRITE, 1)).isInstanceOf(Granted.class);
	}

	@Test
	void turnsAWriterIntoAReaderOnceHoweverOftenItIsTold() {
		ScriptClient writer = client();
		long base = writer.base(LockType.WRITE, 1);
		assertThat(writer.downgrade(1)).isEqualTo(Outcome.RELEASED);
		String share = share(writer, 1);
		assertThat(writer.downgrade(1)).isEqualTo(Outcome.RELEASED);
		assertThat(share(writer, 1)).isEqualTo(share).contains(" %d ".formatted(base));
		assertThat((Long) redis.cli("PTTL", this.key)).isBetween(1L, ScriptClient.LEASE.toMillis());
		assertThat(client().acquire(LockType.READ, 1)).isInstanceOf(Granted.class);
		assertThat(writer.renew(1, ScriptClient.LEASE)).isTrue();
		assertThat(writer.release(1)).isEqualTo(Outcome.RELEASED);
		assertThat(writer.downgrade(1)).as("after its release").isEqualTo(Outcome.NOT_HELD);
	}

	@Test
	void saysOfALostWriterThatItCannotReadOn() {
		ScriptClient writer = client();
		writer.acquire(LockType.WRITE, 1);
		redis.cli("DEL", this.key);
		assertThat(writer.downgrade(1)).isEqualTo(Outcome.NOT_HELD);
		assertThat(exists(this.key)).isFalse();
		client().acquire(LockType.WRITE, 1);
		assertThat(writer.downgrade(1)).isEqualTo(Outcome.NOT_HELD);
		assertThat(hash(this.key)).hasSize(2);
	}

	@Test
	void knowsEveryReleaseAgainThatComesAfterALaterOne() {
		ScriptClient reader = client();
		for (int i = 1; i <= 3; i++) {
			reader.acquire(LockType.READ, i);
		}
		assertThat(reader.cancel(2)).isEqualTo(Outcome.RELEASED);
		assertThat(reader.cancel(3)).isEqualTo(Outcome.RELEASED);
		assertThat(reader.cancel(1)).isEqualTo(Outcome.RELEASED);
		for (int i = 1; i <= 3; i++) {
			assertThat(reader.cancel(i)).as("release of %d, repeated", i).isEqualTo(Outcome.RELEASED_BEFORE);
			assertThat(reader.acquire(LockType.READ, i)).isInstanceOf(AlreadyEnded.class);
		}
	}

	@Test
	void neverTakesALossForARelease() {
		ScriptClient reader = client();
		reader.acquire(LockType.READ, 1);
		reader.acquire(LockType.READ, 11);
		redis.cli("HDEL", this.key, reader.tenure(1).toString());
		assertThat(reader.cancel(11)).isEqualTo(Outcome.RELEASED);
		assertThat(reader.cancel(1)).isEqualTo(Outcome.NOT_HELD);
		reader.acquire(LockType.READ, 12);
		redis.cli("DEL", this.key);
		assertThat(reader.cancel(12)).isEqualTo(Outcome.NOT_HELD);
		reader.acquire(LockType.READ, 13);
		reader.cancel(13);
		assertThat(reader.cancel(12)).isEqualTo(Outcome.NOT_HELD);
		assertThat(reader.cancel(11)).isEqualTo(Outcome.RELEASED_BEFORE);
	}

	@Test
	void remembersNoMoreReleasesThanMayComeAgain() {
		ScriptClient reader = client();
		for (int i = 1; i <= 200; i++) {
			reader.acquire(LockType.READ, i);
			reader.cancel(i);
		}
		assertThat(hash(this.clients).get(reader.id())).hasSizeLessThanOrEqualTo(100);
		assertThat(reader.cancel(190)).isEqualTo(Outcome.RELEASED_BEFORE);
		assertThat(reader.cancel(19)).isEqualTo(Outcome.NOT_HELD);
		assertThat(reader.cancel(1)).isEqualTo(Outcome.NOT_HELD);
	}

	@Test
	void showsTheReaderThatHasHadTheLockLongest() {
		ScriptClient first = client();
		ScriptClient second = client();
		ScriptClient writer = client();
		first.acquire(LockType.READ, 1);
		second.acquire(LockType.READ, 1);
		assertThat(holder(writer)).isEqualTo(first.label(1));
		first.release(1);
		first.acquire(LockType.READ, 2);
		assertThat(holder(writer)).isEqualTo(second.label(1));
		second.release(1);
		first.renew(2, ScriptClient.LEASE);
		assertThat(holder(writer)).isEqualTo(first.label(2));
	}

	private static String holder(ScriptClient refused) {
		return ((Refused) refused.acquire(LockType.WRITE, 99)).holder().label();
	}

	@Test
	void showsAWriterThatReadsOnUnderItsOwnName() {
		ScriptClient writer = client();
		writer.acquire(LockType.WRITE, 1);
		writer.downgrade(1);
		assertThat(holder(client())).isEqualTo(writer.label(1));
	}

	@Test
	void letsAYieldingReaderJoinTheOthersAtOnce() {
		ScriptClient writer = client().listening();
		ScriptClient other = client().listening();
		writer.acquire(LockType.WRITE, 1);
		other.queue(LockType.READ, 1);
		assertThat(writer.release(1, Intent.YIELD, writer.waiting(LockType.READ, 2, true)).position()).isEmpty();
		await().until(() -> !other.offers.isEmpty());
		assertThat(other.offers.element().contended()).isFalse();
		assertThat(writer.acquire(LockType.READ, 3)).isInstanceOf(Granted.class);
	}

	@Test
	void keepsOneWhoGoesOnWaitingBehindReadersThatItLetsIn() {
		ScriptClient writer = client().listening();
		ScriptClient reader = client().listening();
		writer.acquire(LockType.WRITE, 1);
		reader.queue(LockType.READ, 1);
		assertThat(writer.release(1, Intent.YIELD, writer.waiting(LockType.WRITE, 2, true)).position()).isPresent();
		await().until(() -> !reader.offers.isEmpty());
		assertThat(reader.offers.element().contended()).isTrue();
		assertThat(client().acquire(LockType.READ, 1)).isInstanceOf(Refused.class);
		reader.release(1);
		await().until(() -> !writer.offers.isEmpty());
	}

}
