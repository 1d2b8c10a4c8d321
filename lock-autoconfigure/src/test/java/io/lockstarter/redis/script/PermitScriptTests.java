package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.PermitHolder;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.redis.OneLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the scripts keep of permits: who is granted one, and when it is free again.
 */
class PermitScriptTests extends OneLock {

	private static final Duration SHORT = Duration.ofMillis(300);

	private static void assertGranted(AcquireReply... replies) {
		assertThat(replies).allSatisfy((reply) -> assertThat(reply).isInstanceOf(Granted.class));
	}

	@Test
	void keepsAShareForEach() {
		ScriptClient one = client();
		ScriptClient two = client();
		assertGranted(one.acquirePermit(2, 1), two.acquirePermit(2, 1), two.acquirePermit(2, 1));
		assertThat(hash(this.key)).containsKeys(one.tenure(1).toString(), two.tenure(1).toString())
			.containsEntry("shared", "lock-starter")
			.hasSize(4);
		assertThat(two.acquirePermit(2, 2)).isInstanceOf(Refused.class);
		assertThat(one.release(1)).isEqualTo(Outcome.RELEASED);
		assertGranted(two.acquirePermit(2, 2));
		two.release(1);
		two.release(2);
		assertThat(exists(this.key)).isFalse();
	}

	@Test
	void tellsWhoseLeaseEndsFirstAndHowManyOthersThereAre() {
		ScriptClient one = client();
		ScriptClient two = client();
		one.acquirePermit(3, 1);
		two.acquirePermit(3, 1, Duration.ofSeconds(5));
		one.acquirePermit(3, 2);
		Refused refused = (Refused) client().acquirePermit(3, 1);
		assertThat(refused.holder().label()).isEqualTo(two.label(1));
		assertThat(refused.holder().others()).isEqualTo(2);
		assertThat(refused.holder().remainingLease()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
		assertThat(refused.differing()).isNull();
	}

	@Test
	void tellsOfOneWithAnotherNumber() {
		ScriptClient one = client();
		one.acquirePermit(3, 1);
		client().acquire(LockType.READ, 1);
		Refused refused = (Refused) client().acquirePermit(2, 1);
		assertThat(refused.differing()).isEqualTo(new PermitHolder(one.label(1), 3));
	}

	@Test
	void freesThePermitOfOneWhoHasDiedWhenItsLeaseEnds() {
		ScriptClient dead = client();
		ScriptClient living = client();
		dead.acquirePermit(2, 1, SHORT);
		living.acquirePermit(2, 1);
		assertThat(living.acquirePermit(2, 2)).isInstanceOf(Refused.class);
		pass(SHORT.plusMillis(1));
		assertGranted(living.acquirePermit(2, 2));
		assertThat(dead.renew(1, ScriptClient.LEASE)).isFalse();
		assertThat(living.acquirePermit(2, 3)).isInstanceOf(Refused.class);
	}

	@Test
	void countsNoneThatIsOverWhenAnotherIsReleased() {
		ScriptClient dead = client();
		ScriptClient living = client();
		ScriptClient one = client().listening();
		ScriptClient two = client().listening();
		dead.acquirePermit(2, 1, SHORT);
		living.acquirePermit(2, 1);
		one.queuePermit(2, 1, true);
		two.queuePermit(2, 1, true);
		pass(SHORT.plusMillis(1));
		living.release(1);
		await().until(() -> one.offers.size() == 1 && two.offers.size() == 1);
		assertThat(hash(this.key)).containsKeys(one.tenure(1).toString(), two.tenure(1).toString()).hasSize(5);
	}

	@Test
	void grantsAsManyAsBecomeFreeInOrder() {
		ScriptClient alone = client();
		List<ScriptClient> waiting = Stream.generate(this::client).limit(4).map(ScriptClient::listening).toList();
		alone.acquire(LockType.WRITE, 1);
		waiting.forEach((client) -> client.queuePermit(3, 1, true));
		alone.release(1);
		await().until(() -> waiting.subList(0, 3).stream().allMatch((client) -> client.offers.size() == 1));
		assertThat(waiting.get(3).offers).isEmpty();
		waiting.get(1).release(1);
		await().until(() -> waiting.get(3).offers.size() == 1);
	}

	@Test
	void tellsOneToWhomAPermitIsGrantedThatOthersWait() {
		ScriptClient holder = client();
		ScriptClient one = client().listening();
		ScriptClient two = client().listening();
		holder.acquirePermit(2, 1);
		holder.acquirePermit(2, 2);
		one.queuePermit(2, 1, true);
		two.queuePermit(2, 1, true);
		holder.release(1);
		await().until(() -> one.offers.size() == 1);
		assertThat(one.offers.element().contended()).isTrue();
		one.release(1);
		await().until(() -> two.offers.size() == 1);
		assertThat(two.offers.element().contended()).isFalse();
	}

	@Test
	void wakesAsManyAsBecomeFreeWhoKeepTheirPlaces() {
		ScriptClient alone = client();
		List<ScriptClient> waiting = Stream.generate(this::client).limit(3).map(ScriptClient::listening).toList();
		alone.acquire(LockType.WRITE, 1);
		List<AcquireReply> refused = waiting.stream().map((client) -> client.queuePermit(2, 1, false)).toList();
		alone.release(1);
		await().until(() -> waiting.subList(0, 2).stream().allMatch((client) -> client.wakes.size() == 1));
		Refused newcomer = (Refused) client().acquirePermit(2, 1);
		assertThat(newcomer.holder().label()).isEqualTo(waiting.get(0).label(1));
		assertThat(waiting.get(2).queuePermitAgain(2, 2, refused.get(2))).isInstanceOf(Refused.class);
		assertGranted(waiting.get(1).queuePermitAgain(2, 2, refused.get(1)));
		assertGranted(waiting.get(0).queuePermitAgain(2, 2, refused.get(0)));
	}

	@Test
	void passesOverOneWhoHasDiedWhileItWaited() {
		ScriptClient dead = client().listening();
		ScriptClient holder = client();
		holder.acquirePermit(2, 1);
		holder.acquirePermit(2, 2);
		dead.queuePermit(2, 1, false);
		holder.release(1);
		assertThat(holder.acquirePermit(2, 3)).isInstanceOf(Refused.class);
		age(dead, 2500);
		assertGranted(holder.acquirePermit(2, 3));
	}

	@Test
	void givesAnotherThePermitOfOneWhoCannotBeTold() {
		ScriptClient holder = client();
		ScriptClient deaf = client().listening();
		ScriptClient next = client().listening();
		holder.acquirePermit(2, 1);
		holder.acquirePermit(2, 2);
		deaf.queuePermit(2, 1, true);
		next.queuePermit(2, 1, true);
		deaf.turnDeaf();
		await().until(() -> {
			// The server notices only in a moment that the connection is gone.
			holder.release(1);
			holder.acquirePermit(2, 1);
			return true;
		});
		holder.release(2);
		holder.release(1);
		await().until(() -> !next.offers.isEmpty());
	}

	@Test
	void letsNobodyInPastOneWhoWouldBeAlone() {
		ScriptClient holder = client();
		ScriptClient alone = client().listening();
		ScriptClient next = client().listening();
		holder.acquirePermit(3, 1);
		alone.queue(LockType.WRITE, 1);
		next.queuePermit(3, 1, true);
		assertThat(next.offers).isEmpty();
		holder.release(1);
		await().until(() -> !alone.offers.isEmpty());
		alone.release(1);
		await().until(() -> !next.offers.isEmpty());
	}

	/** The first asks for something else when its writer has given up. */
	@Test
	void wakesThoseInWhoseWayItStoodWhenItIsGrantedAShare() {
		ScriptClient holder = client();
		ScriptClient one = client().listening();
		ScriptClient two = client().listening();
		holder.acquirePermit(4, 1);
		AcquireReply refused = one.queue(LockType.WRITE, 1);
		two.queuePermit(4, 1, true);
		assertGranted(one.queuePermitAgain(4, 2, refused));
		await().until(() -> !two.wakes.isEmpty());
		assertGranted(two.acquirePermit(4, 2));
		ScriptClient three = client().listening();
		OptionalLong place = ((Refused) one.queue(LockType.WRITE, 3)).position();
		three.queuePermit(5, 1, true);
		assertGranted(one.queueAgain(LockType.READ, 4, place));
		await().until(() -> !three.wakes.isEmpty());
	}

	@Test
	void queuesOneWhoYieldsLikeTheOthers() {
		ScriptClient one = client().listening();
		ScriptClient two = client().listening();
		one.acquire(LockType.WRITE, 1);
		two.queuePermit(2, 1, true);
		Release.Reply reply = one.release(1, Intent.YIELD, one.waitingForPermit(2, 2, true));
		assertThat(reply.outcome()).isEqualTo(Outcome.RELEASED);
		assertThat(reply.position()).isPresent();
		await().until(() -> one.offers.size() == 1 && two.offers.size() == 1);
		assertThat(exists(this.waiters)).isFalse();
	}

	@Test
	void queuesNoTenureThatAnEarlierArrivalOfTheCommandHasLedToAGrantOf() {
		ScriptClient one = client().listening();
		ScriptClient two = client().listening();
		one.acquire(LockType.WRITE, 1);
		two.queuePermit(2, 1, true);
		one.release(1, Intent.YIELD, one.waitingForPermit(2, 2, true));
		one.release(1, Intent.YIELD, one.waitingForPermit(2, 2, true));
		await().until(() -> !one.offers.isEmpty());
		assertThat(exists(this.waiters)).isFalse();
		assertThat(hash(this.key)).containsKeys(one.tenure(2).toString(), two.tenure(1).toString()).hasSize(5);
	}

	@Test
	void takesALabelForALabel() {
		assertThat(PermitLabel.parse("*4 shop-1/worker")).isEqualTo(new PermitLabel("shop-1/worker", 4));
		assertThat(PermitLabel.parse("shop-1/worker")).isEqualTo(new PermitLabel("shop-1/worker", 1));
		for (String label : List.of("*", "* 4", "*4", "*x y", "4 *5")) {
			assertThat(PermitLabel.parse(PermitLabel.of(client().waitingWithLabel(label))))
				.isEqualTo(new PermitLabel(label, 1));
		}
		assertThat(PermitLabel.of(client().waitingWithLabel("*4 x"))).isEqualTo("*1 *4 x");
	}

}
