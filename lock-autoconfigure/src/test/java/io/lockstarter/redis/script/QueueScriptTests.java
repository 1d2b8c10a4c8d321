package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.DirectGrant;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.redis.OneLock;
import io.lockstarter.testing.CommandStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Whose turn it is at a lock, among clients that wait for different types of it, have
 * died, or cannot hear.
 */
class QueueScriptTests extends OneLock {

	private static final long SILENCE_OF_THE_DEAD = 2100;

	/** Longer than anybody else. */
	private static final Duration WAITED = Duration.ofHours(1);

	@Test
	void grantsToAllReadersUpToTheNextWriter() {
		ScriptClient holder = client();
		List<ScriptClient> queue = Stream.generate(() -> client().listening()).limit(5).toList();
		holder.acquire(LockType.WRITE, 1);
		List<LockType> types = List.of(LockType.READ, LockType.READ, LockType.WRITE, LockType.READ, LockType.FAIR);
		for (int i = 0; i < types.size(); i++) {
			queue.get(i).queue(types.get(i), 1);
		}
		holder.release(1);
		List<DirectGrant> reading = List.of(offer(queue.get(0)), offer(queue.get(1)));
		assertThat(reading).allMatch(DirectGrant::contended).extracting(DirectGrant::base).doesNotHaveDuplicates();
		assertThat(hash(this.key)).containsOnlyKeys("shared", "by", "waits", queue.get(0).tenure(1).toString(),
				queue.get(1).tenure(1).toString());
		queue.get(1).release(1);
		assertThat(queue.subList(2, 5)).allMatch((client) -> client.offers.isEmpty() && client.wakes.isEmpty());
		queue.get(0).release(1);
		assertThat(offer(queue.get(2)).base()).isGreaterThan(reading.get(1).base());
		assertThat(hash(this.key)).containsEntry(queue.get(2).tenure(1).toString(), "1").doesNotContainKey("shared");
		queue.get(2).release(1);
		offer(queue.get(3));
		queue.get(3).release(1);
		assertThat(offer(queue.get(4)).contended()).isFalse();
		queue.get(4).release(1);
		assertThat(exists(this.key) || exists(this.waiters)).isFalse();
		assertThat(exists(this.clients)).isFalse();
	}

	private static DirectGrant offer(ScriptClient client) {
		await().until(() -> !client.offers.isEmpty());
		return client.offers.element();
	}

	@Test
	void takesBackGrantsThatReachNobody() {
		ScriptClient holder = client();
		ScriptClient deaf = client();
		ScriptClient alsoDeaf = client();
		ScriptClient hearing = client().listening();
		holder.acquire(LockType.WRITE, 1);
		deaf.queue(LockType.READ, 1);
		hearing.queue(LockType.READ, 1);
		alsoDeaf.queue(LockType.READ, 1);
		turnDeaf(deaf, alsoDeaf);
		holder.release(1);
		offer(hearing);
		assertThat(hash(this.key)).containsOnlyKeys("shared", "by", "waits", hearing.tenure(1).toString());
	}

	@Test
	void isFreeWhenNoReaderCanHearOfItsGrant() {
		ScriptClient holder = client();
		ScriptClient deaf = client();
		ScriptClient alsoDeaf = client();
		holder.acquire(LockType.WRITE, 1);
		deaf.queue(LockType.READ, 1);
		alsoDeaf.queue(LockType.READ, 1);
		turnDeaf(deaf, alsoDeaf);
		holder.release(1);
		assertThat(exists(this.key) || exists(this.waiters)).isFalse();
		assertThat(exists(this.clients)).isFalse();
	}

	private void turnDeaf(ScriptClient... clients) {
		for (ScriptClient client : clients) {
			client.listening().turnDeaf();
			await().until(() -> ((List<?>) redis.cli("PUBSUB", "CHANNELS", "lock:wake:" + client.id())).isEmpty());
		}
	}

	@Test
	void keepsANewReaderBehindAWriterAsLongAsItLives() {
		ScriptClient reader = client();
		ScriptClient writer = client().listening();
		ScriptClient newcomer = client();
		reader.acquire(LockType.READ, 1);
		writer.queue(LockType.WRITE, 1);
		Refused refused = (Refused) newcomer.acquire(LockType.READ, 1);
		assertThat(refused.holder().remainingLease()).as("asks again when the writer would be dead")
			.isLessThanOrEqualTo(Duration.ofSeconds(2));
		age(writer, SILENCE_OF_THE_DEAD);
		assertThat(newcomer.acquire(LockType.READ, 1)).isInstanceOf(Granted.class);
		assertThat(exists(this.waiters)).isFalse();
		assertThat(hash(this.clients)).doesNotContainKey("w:" + writer.id());
	}

	@Test
	void passesOverOneWhoWasLastHeardOfBeforeTheClockWasSetBack() {
		ScriptClient reader = client();
		ScriptClient writer = client().listening();
		reader.acquire(LockType.READ, 1);
		writer.queue(LockType.WRITE, 1);
		age(writer, -60_000);
		assertThat(client().acquire(LockType.READ, 1)).isInstanceOf(Granted.class);
		assertThat(hash(this.clients)).doesNotContainKey("w:" + writer.id());
	}

	@Test
	void passesOverTheDeadWhenTheLockBecomesFree() {
		ScriptClient holder = client();
		ScriptClient dead = client().listening();
		ScriptClient living = client().listening();
		holder.acquire(LockType.WRITE, 1);
		dead.queue(LockType.FAIR, 1);
		living.queue(LockType.FAIR, 1);
		age(dead, SILENCE_OF_THE_DEAD);
		holder.release(1);
		offer(living);
		assertThat(dead.offers).isEmpty();
		assertThat(hash(this.clients)).doesNotContainKey("w:" + dead.id());
	}

	/** It may have died since, and would keep the lock for a whole lease. */
	@ParameterizedTest
	@EnumSource
	void wakesOneThatHasNotAskedForASecond(LockType type) {
		ScriptClient holder = client();
		ScriptClient silent = client().listening();
		holder.acquire(LockType.WRITE, 1);
		silent.queue(type, 1);
		age(silent, 1001);
		holder.release(1);
		await().until(() -> !silent.wakes.isEmpty());
		assertThat(silent.offers).isEmpty();
		assertThat(exists(this.key)).isFalse();
	}

	@Test
	void letsReadersPassADeadWriterWhenOneReadsOnAfterWriting() {
		ScriptClient holder = client();
		ScriptClient dead = client().listening();
		ScriptClient reader = client().listening();
		holder.acquire(LockType.WRITE, 1);
		dead.queue(LockType.WRITE, 1);
		reader.queue(LockType.READ, 1);
		age(dead, SILENCE_OF_THE_DEAD);
		holder.downgrade(1);
		offer(reader);
		assertThat(hash(this.key)).containsOnlyKeys("shared", "by", "waits", holder.tenure(1).toString(),
				reader.tenure(1).toString());
	}

	@Test
	void keepsThePlaceOfOneWhoIsOnlyWokenUntilItAsks() {
		ScriptClient holder = client();
		ScriptClient first = client().listening();
		ScriptClient newcomer = client();
		for (LockType type : List.of(LockType.FAIR, LockType.WRITE)) {
			long sequence = type.ordinal() + 1;
			holder.acquire(LockType.WRITE, sequence);
			first.queueForWake(type, sequence);
			holder.release(sequence);
			await().until(() -> !first.wakes.isEmpty());
			LockType later = (type == LockType.FAIR) ? LockType.FAIR : LockType.READ;
			assertThat(newcomer.acquire(later, sequence)).as("%s before a %s", later, type).isInstanceOf(Refused.class);
			assertThat(first.acquire(type, sequence)).isInstanceOf(Granted.class);
			assertThat(exists(this.waiters)).isFalse();
			first.release(sequence);
			first.wakes.clear();
		}
	}

	/** The dead are passed over, but not those who come before the next one alive. */
	@Test
	void keepsTheTurnOfAFairRequestThatOnlyTheDeadWaitBefore() {
		ScriptClient holder = client().listening();
		ScriptClient dead = client().listening();
		ScriptClient living = client().listening();
		holder.acquire(LockType.FAIR, 1);
		dead.queue(LockType.FAIR, 1);
		living.queue(LockType.FAIR, 1);
		redis.cli("ZADD", this.waiters, "1", "lock:wake:" + dead.id());
		age(dead, SILENCE_OF_THE_DEAD);
		Release.Reply reply = holder.release(1, Intent.YIELD, holder.waiting(LockType.FAIR, 2, true, WAITED));
		assertThat(reply.first()).isTrue();
		assertThat(living.queue(LockType.FAIR, 2)).isInstanceOf(Refused.class);
		assertThat(holder.queueAgain(LockType.FAIR, 2, reply.position())).isInstanceOf(Granted.class);
		assertThat(living.offers).isEmpty();
	}

	@Test
	void keepsTheTurnOfAFairRequestThatIsRepeated() {
		ScriptClient holder = client().listening();
		ScriptClient other = client().listening();
		holder.acquire(LockType.FAIR, 1);
		holder.release(1, Intent.YIELD, holder.waiting(LockType.FAIR, 2, true, WAITED));
		Release.Reply again = holder.release(1, Intent.YIELD, holder.waiting(LockType.FAIR, 2, true, WAITED));
		assertThat(again.first()).isTrue();
		assertThat(other.queue(LockType.FAIR, 1)).isInstanceOf(Refused.class);
		assertThat(holder.queueAgain(LockType.FAIR, 2, again.position())).isInstanceOf(Granted.class);
		holder.release(2);
		offer(other);
		other.release(1);
		assertThat(exists(this.key)).isFalse();
	}

	/** A request that is not fair may come between. */
	@Test
	void grantsTheFreeLockToOneThatIsNotFairBeforeTheFirst() {
		ScriptClient holder = client().listening();
		holder.acquire(LockType.FAIR, 1);
		holder.release(1, Intent.YIELD, holder.waiting(LockType.FAIR, 2, true, WAITED));
		assertThat(client().acquire(LockType.REENTRANT, 1)).isInstanceOf(Granted.class);
	}

	@Test
	void keepsNoPlaceForOneWhoCannotBeWoken() {
		ScriptClient holder = client();
		ScriptClient deaf = client();
		holder.acquire(LockType.WRITE, 1);
		deaf.queueForWake(LockType.FAIR, 1);
		turnDeaf(deaf);
		holder.release(1);
		assertThat(exists(this.waiters)).isFalse();
		assertThat(client().acquire(LockType.FAIR, 1)).isInstanceOf(Granted.class);
	}

	/** All who wait may die, and nobody else ever ask for the lock. */
	@Test
	void endsByItselfWhenNobodyAsksAnyMore() {
		ScriptClient holder = client().listening();
		ScriptClient first = client().listening();
		holder.acquire(LockType.WRITE, 1);
		first.queueForWake(LockType.WRITE, 1);
		assertExpires("with who waits");
		holder.release(1);
		await().until(() -> !first.wakes.isEmpty());
		assertExpires("with who was woken");
		first.acquire(LockType.WRITE, 2);
		holder.queue(LockType.READ, 2);
		first.release(2, Intent.YIELD, first.waiting(LockType.WRITE, 3, true));
		assertExpires("with who has yielded");
	}

	@Test
	void endsByItselfWhenAWriterStaysBehindReaders() {
		ScriptClient holder = client();
		ScriptClient reader = client().listening();
		holder.acquire(LockType.WRITE, 1);
		reader.queue(LockType.READ, 1);
		client().queue(LockType.WRITE, 1);
		holder.release(1);
		offer(reader);
		assertExpires("with the writer");
	}

	private void assertExpires(String queue) {
		assertThat((Long) redis.cli("PTTL", this.waiters)).as(queue).isBetween(1L, 10_000L);
	}

	@Test
	void showsWhoseTurnItIsAtAFreeLock() {
		ScriptClient holder = client();
		ScriptClient first = client().listening();
		holder.acquire(LockType.FAIR, 1);
		first.queue(LockType.FAIR, 1);
		redis.cli("DEL", this.key);
		Refused refused = (Refused) client().acquire(LockType.FAIR, 1);
		assertThat(refused.holder().label()).isEqualTo(first.label(1));
		assertThat(refused.holder().heldFor()).isZero();
		await().until(() -> !first.wakes.isEmpty());
	}

	@Test
	void forgetsClientsThatDiedWhileTheyWaited() {
		ScriptClient holder = client();
		holder.acquire(LockType.WRITE, 1);
		holder.release(1);
		IntStream.range(0, 100)
			.forEach((i) -> redis.cli("HSET", this.clients, "w:%032x".formatted(i), "x 1 1 1000 dead"));
		client().acquire(LockType.WRITE, 1);
		assertThat(hash(this.clients).keySet()).noneMatch((field) -> field.startsWith("w:"));
	}

	@Test
	void costsTheSameHoweverManyWaitAtAFairLock() {
		ScriptClient holder = client();
		ScriptClient newcomer = client();
		List<ScriptClient> queue = Stream.generate(this::client).limit(50).toList();
		// Who waits begins to listen, and sends itself a message to see whether they
		// come.
		Stream.concat(Stream.of(holder), queue.stream()).forEach(ScriptClient::listening);
		holder.acquire(LockType.FAIR, 1);
		queue.subList(0, 10).forEach((client) -> client.queue(LockType.FAIR, 1));
		CommandStats few = cycle(holder, 1, newcomer, queue.get(0));
		queue.get(0).renew(1, ScriptClient.LEASE);
		queue.subList(1, 50).forEach((client) -> client.queue(LockType.FAIR, 2));
		holder.queue(LockType.FAIR, 4);
		CommandStats many = cycle(queue.get(0), 1, newcomer, queue.get(1));
		assertThat(scripted(many)).as("%s with many, %s with few waiting", many, few)
			.isLessThanOrEqualTo(scripted(few));
		assertThat(few.calls("evalsha")).isEqualTo(2);
		assertThat(scripted(few)).isLessThanOrEqualTo(40);
	}

	/** Without what clients send that are still connecting, or beginning to listen. */
	private static long scripted(CommandStats stats) {
		return stats.total() - stats.calls("subscribe") - stats.calls("hello") - stats.calls("client|setinfo");
	}

	/** What it costs to be refused, and to let the next one have it and wait again. */
	private CommandStats cycle(ScriptClient holder, long sequence, ScriptClient newcomer, ScriptClient next) {
		// However long it takes to connect so many.
		age(next, 0);
		CommandStats before = redis.stats();
		assertThat(newcomer.acquire(LockType.FAIR, 9)).isInstanceOf(Refused.class);
		assertThat(holder.release(sequence, Intent.YIELD, holder.waiting(LockType.FAIR, 3, true)).position())
			.isPresent();
		CommandStats spent = redis.stats().minus(before);
		offer(next);
		return spent;
	}

	@Test
	void grantsNothingToATenureThatHasEndedWhileItWaits() {
		ScriptClient holder = client();
		ScriptClient waiting = client().listening();
		holder.acquire(LockType.REENTRANT, 1);
		waiting.queue(LockType.REENTRANT, 1);
		waiting.cancel(1);
		holder.release(1, Intent.LEAVE, null);
		await().until(() -> !waiting.wakes.isEmpty() || !waiting.offers.isEmpty());
		assertThat(waiting.offers).isEmpty();
		assertThat(exists(this.key)).isFalse();
	}

}
