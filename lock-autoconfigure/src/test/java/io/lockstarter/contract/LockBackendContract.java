package io.lockstarter.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.AlreadyEnded;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a backend must do with tenures, leases and wake-ups.
 */
public abstract class LockBackendContract {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final List<LockBackend> opened = new ArrayList<>();

	private Client one;

	private Client two;

	private String name;

	/** A further client of the same place. */
	protected abstract LockBackend newBackend();

	/** Whether a command of one client may be repeated after that of another. */
	protected boolean commandsMayArriveAgain() {
		return true;
	}

	/** How many messages at most tell of one event. */
	protected int messagesAnEvent() {
		return 1;
	}

	@BeforeEach
	void open() {
		this.one = new Client(newBackend());
		this.two = new Client(newBackend());
		this.name = "contract-" + System.nanoTime();
	}

	@AfterEach
	void close() {
		this.opened.forEach(LockBackend::close);
	}

	@Test
	void grantsAFreeLock() {
		assertThat(this.one.acquire(1, LEASE)).isInstanceOf(Granted.class);
	}

	@Test
	void refusesAHeldLockAndTellsItsHolder() {
		this.one.acquire(1, LEASE);
		AcquireReply answer = this.two.acquire(1, LEASE);
		assertThat(answer).isInstanceOfSatisfying(Refused.class, (refused) -> {
			assertThat(refused.holder().label()).isEqualTo("holder-" + this.one.backend.clientId());
			assertThat(refused.holder().remainingLease()).isBetween(LEASE.minusSeconds(5), LEASE);
			assertThat(refused.holder().heldFor()).isLessThan(Duration.ofSeconds(5));
		});
	}

	@Test
	void answersARepeatedAcquireWithTheSameToken() {
		Granted first = (Granted) this.one.acquire(1, LEASE);
		assertThat(this.one.acquire(1, LEASE)).isEqualTo(first);
		assertThat(this.one.release(1)).isEqualTo(Outcome.RELEASED);
		assertThat(this.two.acquire(1, LEASE)).isInstanceOf(Granted.class);
	}

	@Test
	void givesEveryTenureTokenBasesAboveThoseOfTheLast() {
		long last = 0;
		for (int i = 1; i <= 200; i++) {
			Client client = (i % 2 == 0) ? this.one : this.two;
			long base = ((Granted) client.acquire(i, LEASE)).base();
			assertThat(base).isGreaterThanOrEqualTo(last + LockBackend.TOKEN_BASES);
			last = base;
			client.release(i);
		}
	}

	@Test
	void givesAGreaterTokenBaseAfterAnExpiry() {
		long first = ((Granted) this.one.acquire(1, Duration.ofMillis(50))).base();
		AcquireReply[] answer = new AcquireReply[1];
		int[] sequence = new int[1];
		await().until(() -> (answer[0] = this.two.acquire(++sequence[0], LEASE)) instanceof Granted);
		assertThat(((Granted) answer[0]).base()).isGreaterThan(first);
	}

	@Test
	void tellsAReleaseFromARepeatedOneAndFromALoss() {
		this.one.acquire(1, LEASE);
		assertThat(this.one.cancel(1)).isEqualTo(Outcome.RELEASED);
		assertThat(this.one.cancel(1)).isEqualTo(Outcome.RELEASED_BEFORE);
		this.one.acquire(2, Duration.ofMillis(30));
		await().until(() -> !this.one.renew(2, Duration.ZERO));
		assertThat(this.one.release(2)).isEqualTo(Outcome.NOT_HELD);
	}

	@Test
	void endsATenureSoonerThatIsDoneWith() {
		this.one.acquire(1, LEASE);
		assertThat(this.two.curtail(1, Duration.ofMillis(200))).as("the tenure of another").isFalse();
		assertThat(this.one.curtail(1, LEASE.plusSeconds(1))).as("later").isFalse();
		assertThat(this.one.renew(1, Duration.ZERO)).isTrue();
		assertThat(this.one.curtail(1, Duration.ofMillis(200))).isTrue();
		int[] sequence = new int[1];
		await().until(() -> this.two.acquire(++sequence[0], LEASE) instanceof Granted);
		assertThat(this.one.curtail(1, Duration.ofMillis(200))).as("after its end").isFalse();
		assertThat(this.two.renew(sequence[0], Duration.ZERO)).isTrue();
	}

	@Test
	void endsNoShareSooner() {
		this.one.read(1);
		this.two.read(1);
		assertThat(this.one.curtail(1, Duration.ofMillis(1))).isFalse();
		await().during(Duration.ofMillis(100)).until(() -> this.two.renew(1, Duration.ZERO));
	}

	@Test
	void doesNotReleaseTheLockOfAnother() {
		this.one.acquire(1, LEASE);
		assertThat(this.two.release(1)).isEqualTo(Outcome.NOT_HELD);
		assertThat(this.two.acquire(2, LEASE)).isInstanceOf(Refused.class);
		assertThat(this.one.renew(1, LEASE)).isTrue();
	}

	@Test
	void refusesAnAcquireThatArrivesAfterItsCancellation() {
		this.one.cancel(1);
		assertThat(this.one.acquire(1, LEASE)).isInstanceOf(AlreadyEnded.class);
		assertThat(this.two.acquire(1, LEASE)).isInstanceOf(Granted.class);
	}

	@Test
	void refusesAnAcquireThatArrivesAgainAfterItsRelease() {
		this.one.acquire(1, LEASE);
		this.one.cancel(1);
		assertThat(this.one.acquire(1, LEASE)).isInstanceOf(AlreadyEnded.class);
	}

	@Test
	void refusesAnAcquireThatArrivesAgainAfterALaterTenure() {
		this.one.acquire(1, LEASE);
		this.one.cancel(1);
		this.one.acquire(2, LEASE);
		this.one.cancel(2);
		assertThat(this.one.acquire(1, LEASE)).isInstanceOf(AlreadyEnded.class);
		assertThat(this.one.acquire(3, LEASE)).isInstanceOf(Granted.class);
	}

	@Test
	void renewsOnlyTheTenureThatHolds() {
		this.one.acquire(1, Duration.ofSeconds(5));
		assertThat(this.two.renew(1, LEASE)).isFalse();
		assertThat(this.one.renew(1, LEASE)).isTrue();
		// Of several servers, some may hear of it after a majority has answered.
		await().untilAsserted(() -> assertThat(((Refused) this.two.acquire(2, LEASE)).holder().remainingLease())
			.isGreaterThan(Duration.ofSeconds(20)));
	}

	@Test
	void neverShortensALease() {
		this.one.acquire(1, LEASE);
		assertThat(this.one.renew(1, Duration.ofMillis(20))).isTrue();
		assertThat(((Refused) this.two.acquire(1, LEASE)).holder().remainingLease())
			.isGreaterThan(Duration.ofSeconds(20));
	}

	@Test
	void givesAVerdictForEachLockOfABatch() {
		this.one.acquire(1, LEASE);
		Renew held = new Renew(this.name, this.one.tenure(1), 3, LEASE);
		Renew unknown = new Renew(this.name + "-other", this.one.tenure(2), 1, LEASE);
		List<Boolean> verdicts = this.one.backend.renew(List.of(unknown, held, unknown))
			.stream()
			.map((verdict) -> verdict.join().held())
			.toList();
		assertThat(verdicts).containsExactly(false, true, false);
	}

	@Test
	void tellsTheHolderThatAnotherClientWaits() {
		this.one.subscribe();
		assertThat(this.one.backend.isSubscribed()).isTrue();
		assertThat(((Granted) this.one.acquire(1, LEASE)).contended()).isFalse();
		this.two.waitFor(1);
		await().until(() -> this.one.wanted.contains(this.name));
		assertThat(this.two.wanted).doesNotContain(this.name);
	}

	@Test
	void tellsNobodyOfOneWhoDoesNotWait() {
		this.one.subscribe();
		this.one.acquire(1, LEASE);
		this.two.acquire(1, LEASE);
		this.two.waitFor(2);
		await().until(() -> this.one.wanted.contains(this.name));
		assertThat(this.one.wanted).as("once, for the one who waited")
			.filteredOn(this.name::equals)
			.hasSizeBetween(1, messagesAnEvent());
	}

	@Test
	void tellsTheNextHolderThatOthersWaitAlready() {
		this.two.subscribe();
		Client three = new Client(newBackend()).subscribe();
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		three.waitFor(1);
		this.one.release(1);
		await().until(() -> this.two.woken.contains(this.name));
		assertThat(((Granted) this.two.acquire(2, LEASE)).contended()).isTrue();
	}

	@Test
	void wakesNobodyWhenItReturnsAtOnce() {
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		this.one.backend.release(new Release(this.name, this.one.tenure(1), Intent.RETURN, null)).join();
		assertThat(((Granted) this.one.acquire(2, LEASE)).contended()).isTrue();
		this.one.release(2);
		await().until(() -> this.two.woken.contains(this.name));
		assertThat(this.two.woken).filteredOn(this.name::equals).hasSizeBetween(1, messagesAnEvent());
	}

	@Test
	void takesALockAlongWithItsReleaseIfItKeepsTheOrder() {
		assumeTrue(this.one.backend.keepsOrder(), "keeps the order of commands");
		this.one.acquire(1, LEASE);
		for (int sequence = 2; sequence <= 50; sequence++) {
			this.one.backend.release(new Release(this.name, this.one.tenure(sequence - 1), Intent.RETURN, null));
			assertThat(this.one.acquire(sequence, LEASE)).isInstanceOf(Granted.class);
		}
	}

	@Test
	void beginsToListenWhenAsked() {
		await().until(this.one.backend::isSubscribed);
	}

	@Test
	void wakesTheClientThatWaits() {
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		this.one.release(1);
		await().until(() -> this.two.woken.contains(this.name));
		assertThat(this.one.woken).doesNotContain(this.name);
	}

	@Test
	void wakesOneClientOnly() {
		this.two.subscribe();
		Client three = new Client(newBackend()).subscribe();
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		three.waitFor(1);
		this.one.release(1);
		await().until(() -> this.two.woken.contains(this.name));
		this.two.acquire(2, LEASE);
		this.two.release(2);
		await().until(() -> three.woken.contains(this.name));
		assertThat(this.two.woken).filteredOn(this.name::equals).hasSizeBetween(1, messagesAnEvent());
	}

	@Test
	void handsOnAWakeUpThatItsClientNoLongerNeeds() {
		this.two.subscribe();
		Client three = new Client(newBackend()).subscribe();
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		three.waitFor(1);
		this.one.release(1);
		await().until(() -> this.two.woken.contains(this.name));
		this.two.release(2);
		await().until(() -> three.woken.contains(this.name));
	}

	@Test
	void yieldsToAnotherClientAndIsWokenAfterIt() {
		this.one.subscribe();
		this.two.subscribe();
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		Release.Reply reply = this.one.backend
			.release(new Release(this.name, this.one.tenure(1), Intent.YIELD, this.one.next(9)))
			.join();
		assertThat(reply.position()).isPresent();
		await().until(() -> this.two.woken.contains(this.name));
		this.two.acquire(2, LEASE);
		this.two.release(2);
		await().until(() -> this.one.woken.contains(this.name));
	}

	@Test
	void doesNotYieldWhenNobodyElseWaits() {
		this.one.acquire(1, LEASE);
		Release.Reply reply = this.one.backend
			.release(new Release(this.name, this.one.tenure(1), Intent.YIELD, this.one.next(9)))
			.join();
		assertThat(reply.position()).isEmpty();
	}

	@Test
	void keepsTheTurnOfAFairRequestThatNobodyWaitsBefore() {
		assumeFair();
		this.one.acquire(1, LEASE);
		Release.Reply reply = this.one.yieldFairly(1, 9, Duration.ZERO);
		assertThat(reply.position()).isPresent();
		assertThat(reply.first()).isTrue();
		assertThat(this.two.ask(this.two.fair(1, OptionalLong.empty(), Duration.ZERO))).isInstanceOf(Refused.class);
		assertThat(this.one.ask(this.one.fair(9, reply.position(), Duration.ZERO))).isInstanceOf(Granted.class);
	}

	@Test
	void keepsTheTurnOfAFairRequestThatHasWaitedLonger() {
		assumeFair();
		this.one.acquire(1, LEASE);
		assertThat(this.two.ask(this.two.fair(1, OptionalLong.empty(), Duration.ZERO))).isInstanceOf(Refused.class);
		Release.Reply reply = this.one.yieldFairly(1, 9, Duration.ofHours(1));
		assertThat(reply.first()).isTrue();
		assertThat(this.two.ask(this.two.fair(1, OptionalLong.empty(), Duration.ZERO))).isInstanceOf(Refused.class);
		assertThat(this.one.ask(this.one.fair(9, reply.position(), Duration.ZERO))).isInstanceOf(Granted.class);
	}

	@Test
	void keepsNoTurnOfAFairRequestThatHasWaitedForAShorterTime() {
		assumeFair();
		this.two.subscribe();
		this.one.acquire(1, LEASE);
		assertThat(this.two.ask(this.two.fair(1, OptionalLong.empty(), Duration.ofHours(1))))
			.isInstanceOf(Refused.class);
		Release.Reply reply = this.one.yieldFairly(1, 9, Duration.ZERO);
		assertThat(reply.position()).isPresent();
		assertThat(reply.first()).isFalse();
		await().until(() -> this.two.woken.contains(this.name));
	}

	private void assumeFair() {
		assumeThat(this.one.backend.objection(this.name, LockType.FAIR, 1, LEASE)).isNull();
	}

	@Test
	void tellsWhoHasALock() {
		assertThat(this.two.holders()).isEmpty();
		this.one.acquire(1, LEASE);
		assertThat(this.two.holders()).singleElement().satisfies((tenancy) -> {
			assertThat(tenancy.tenure()).isEqualTo(this.one.tenure(1));
			assertThat(tenancy.holder().label()).isEqualTo("holder-" + this.one.backend.clientId());
			assertThat(tenancy.holder().remainingLease()).isBetween(LEASE.minusSeconds(5), LEASE);
			assertThat(tenancy.holder().heldFor()).isLessThan(Duration.ofSeconds(5));
		});
		this.one.release(1);
		assertThat(this.two.holders()).isEmpty();
	}

	@Test
	void tellsAllReadersWhoHaveALock() {
		this.one.read(1);
		this.two.read(1);
		assertThat(this.one.holders()).extracting(LockBackend.CurrentHolder::tenure)
			.containsExactlyInAnyOrder(this.one.tenure(1), this.two.tenure(1));
		this.one.release(1);
		assertThat(this.one.holders()).extracting(LockBackend.CurrentHolder::tenure)
			.containsExactly(this.two.tenure(1));
	}

	@Test
	void tellsTheTokenBaseOfWhoHasALockAndHowManyWait() {
		long base = base(this.one.acquire(1, LEASE));
		assertThat(this.two.occupancy().queue().clients()).isZero();
		this.two.waitFor(1);
		assertThat(this.one.occupancy().queue().clients()).isOne();
		assertThat(this.one.holders()).extracting(LockBackend.CurrentHolder::base).containsExactly(base);
	}

	@Test
	void grantsAsManyPermitsAsThereAreAndTellsTheirNumber() {
		assumeTrue(this.one.backend.objection(this.name, LockType.REENTRANT, 4, LEASE) == null, "has permits");
		assertThat(
				Stream.of(this.one.permit(1, 4), this.two.permit(1, 4), this.one.permit(2, 4), this.two.permit(2, 4)))
			.hasOnlyElementsOfType(Granted.class);
		assertThat(this.one.permit(3, 4)).isInstanceOf(Refused.class);
		assertThat(this.one.holders()).hasSize(4).extracting(LockBackend.CurrentHolder::permits).containsOnly(4);
		AcquireReply answer = this.two.permit(3, 5);
		assertThat(answer).isInstanceOf(Granted.class);
		assertThat(((Refused) this.one.permit(3, 4)).differing()).isNotNull()
			.extracting(LockBackend.PermitHolder::permits)
			.isEqualTo(5);
	}

	@Test
	void listsTheLocksThatAreHeldPageByPage() {
		Set<String> held = new TreeSet<>();
		for (int i = 0; i < 100; i++) {
			String lock = this.name + "-{größe} %d%%".formatted(i);
			((i % 2 == 0) ? this.one : this.two).acquire(lock, 1, LEASE, false);
			held.add(lock);
		}
		assertThat(list(10)).containsAll(held);
		assertThat(list(1000)).containsAll(held);
		held.forEach((lock) -> Stream.of(this.one, this.two)
			.forEach((client) -> client.backend.release(new Release(lock, client.tenure(1), Intent.LEAVE, null))
				.join()));
		// Of several servers, some may hear of it after a majority has answered.
		await().untilAsserted(() -> assertThat(list(10)).noneMatch((lock) -> lock.startsWith(this.name)));
	}

	private Set<String> list(int size) {
		Set<String> names = new TreeSet<>();
		LockBackend.Page page = this.two.backend.names("", size).join();
		names.addAll(page.names());
		while (!page.next().isEmpty()) {
			assertThat(page.names()).hasSizeGreaterThanOrEqualTo(size).doesNotHaveDuplicates();
			assertThat(page.next()).as("names may be hidden").doesNotContain(this.name);
			page = this.two.backend.names(page.next(), size).join();
			names.addAll(page.names());
		}
		return names;
	}

	@Test
	void takesALockAwayFromItsHolder() {
		long first = base(this.one.acquire(1, LEASE));
		assertThat(this.two.oust(this.one.tenure(1))).isEqualTo(Outcome.RELEASED);
		assertThat(this.one.renew(1, LEASE)).isFalse();
		assertThat(base(this.two.acquire(1, LEASE))).isGreaterThanOrEqualTo(first + LockBackend.TOKEN_BASES);
		assertThat(this.one.release(1)).as("by the former holder").isEqualTo(Outcome.NOT_HELD);
		assertThat(this.two.renew(1, LEASE)).as("the next one").isTrue();
	}

	@Test
	void oustsNobodyButTheTenureThatWasMeant() {
		this.one.acquire(1, LEASE);
		this.two.oust(this.one.tenure(1));
		this.one.acquire(2, LEASE);
		assertThat(this.two.oust(this.one.tenure(1))).as("a repeated command").isEqualTo(Outcome.NOT_HELD);
		assertThat(this.one.renew(2, LEASE)).isTrue();
		assertThat(this.one.release(2)).isEqualTo(Outcome.RELEASED);
		assertThat(this.two.oust(this.one.tenure(2))).as("one who has released").isNotEqualTo(Outcome.RELEASED);
	}

	@Test
	void refusesRepeatedAcquireOfFormerHolder() {
		assumeTrue(commandsMayArriveAgain());
		this.one.acquire(1, LEASE);
		this.two.oust(this.one.tenure(1));
		assertThat(this.one.acquire(1, LEASE)).isInstanceOf(AlreadyEnded.class);
		assertThat(this.two.acquire(1, LEASE)).isInstanceOf(Granted.class);
	}

	@Test
	void wakesWaitingClientOnForcedRelease() {
		this.two.subscribe();
		Client three = new Client(newBackend());
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		three.oust(this.one.tenure(1));
		await().until(() -> this.two.woken.contains(this.name));
	}

	@Test
	void goesOnWaitingWhileItOustsTheHolder() {
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		this.two.oust(this.one.tenure(1));
		await().until(() -> this.two.woken.contains(this.name));
	}

	@Test
	void notifiesSubscribedHolderOfForcedRelease() {
		this.one.subscribe();
		this.one.acquire(1, LEASE);
		this.two.oust(this.one.tenure(1));
		await().until(() -> this.one.forceReleased.contains(this.name));
		assertThat(this.two.forceReleased).isEmpty();
	}

	@Test
	void tellsOfALockWithALongNameByItsName() {
		this.name = this.name + "x".repeat(600);
		this.one.subscribe();
		this.one.acquire(1, LEASE);
		this.two.waitFor(1);
		await().until(() -> this.one.wanted.contains(this.name));
		this.two.oust(this.one.tenure(1));
		await().until(() -> this.one.forceReleased.contains(this.name));
		await().until(() -> this.two.woken.contains(this.name));
	}

	@Test
	void grantsLockToWriterAfterForcedReleaseOfLastReader() {
		this.one.read(1);
		this.two.read(1);
		Client three = new Client(newBackend());
		three.oust(this.one.tenure(1));
		assertThat(three.acquire(1, LEASE)).isInstanceOf(Refused.class);
		three.oust(this.two.tenure(1));
		assertThat(three.acquire(2, LEASE)).isInstanceOf(Granted.class);
	}

	@Test
	void keepsNamesApartThatDifferInHostileCharacters() {
		List<String> names = List.of("a", "a}", "{a", "{a}", "%7B", "{", "a\r\nb", "a b", "\u0000", "\uD800", "\uD801",
				"?", "%uD800", "x".repeat(600), "x".repeat(601), "ä".repeat(300), "ä".repeat(301), "a:fence",
				"a:waiters");
		for (int i = 0; i < names.size(); i++) {
			Acquire command = new Acquire(this.name + names.get(i), this.one.tenure(i + 1), LockType.REENTRANT,
					"holder", LEASE, null);
			assertThat(this.one.backend.acquire(command).join()).as("name %d", i).isInstanceOf(Granted.class);
		}
	}

	@Test
	void answersAProbe() {
		assertThat(this.one.backend.probe().join()).containsKey("clientId");
	}

	@Test
	void clientsTellEachOtherWhatIsAboutNoLock() {
		if (this.one.backend.messages() == ClientMessages.NONE) {
			assertThat(this.one.backend.messages().send(this.two.backend.clientId(), "text"))
				.isCompletedExceptionally();
			return;
		}
		Set<String> toOne = new ConcurrentSkipListSet<>();
		Set<String> toTwo = new ConcurrentSkipListSet<>();
		this.one.subscribe().backend.messages().listen(toOne::add);
		this.two.backend.messages().listen(toTwo::add);
		this.two.subscribe();
		// A subscription that was there before is opened anew for it
		await().until(() -> {
			this.one.backend.messages().broadcast("to all").join();
			return toOne.contains("to all") && toTwo.contains("to all");
		});
		assertThat(this.two.backend.messages().send(this.one.backend.clientId(), "to one \u00E4"))
			.succeedsWithin(Actor.PATIENCE);
		await().untilAsserted(() -> assertThat(toOne).containsExactlyInAnyOrder("to all", "to one \u00E4"));
		assertThat(toTwo).containsExactly("to all");
	}

	private static long base(AcquireReply granted) {
		return ((Granted) granted).base();
	}

	/**
	 * A client with the wake-ups it got.
	 */
	private final class Client implements LockBackend.WakeListener {

		private final LockBackend backend;

		private boolean subscribed;

		/** The tenures that have been asked for, and not ended. */
		private final Set<Long> answered = new TreeSet<>();

		private final Queue<String> woken = new ConcurrentLinkedQueue<>();

		private final Queue<String> wanted = new ConcurrentLinkedQueue<>();

		private final Queue<String> forceReleased = new ConcurrentLinkedQueue<>();

		Client(LockBackend backend) {
			this.backend = backend;
			backend.listen(this);
			LockBackendContract.this.opened.add(backend);
			backend.connect().join();
		}

		TenureId tenure(long sequence) {
			return new TenureId(this.backend.clientId(), sequence);
		}

		AcquireReply acquire(long sequence, Duration lease) {
			return acquire(LockBackendContract.this.name, sequence, lease, false);
		}

		private AcquireReply acquire(String lock, long sequence, Duration lease, boolean waits) {
			this.answered.add(sequence);
			return this.backend
				.acquire(new Acquire(lock, tenure(sequence), LockType.REENTRANT, "holder-" + this.backend.clientId(),
						lease, waits ? new Waiting(OptionalLong.empty(), Duration.ZERO, false) : null))
				.join();
		}

		/** What it waits with when it yields. */
		Acquire next(long sequence) {
			return new Acquire(LockBackendContract.this.name, tenure(sequence), LockType.REENTRANT,
					"holder-" + this.backend.clientId(), LEASE,
					new Waiting(OptionalLong.empty(), Duration.ZERO, false));
		}

		/** A fair request that has waited for some time, and is to be woken. */
		Acquire fair(long sequence, OptionalLong position, Duration waited) {
			return new Acquire(LockBackendContract.this.name, tenure(sequence), LockType.FAIR,
					"holder-" + this.backend.clientId(), LEASE, new Waiting(position, waited, false));
		}

		AcquireReply ask(Acquire command) {
			return this.backend.acquire(command).join();
		}

		/** Release a lock, and go on waiting for it with a fair request. */
		Release.Reply yieldFairly(long sequence, long next, Duration waited) {
			return this.backend
				.release(new Release(LockBackendContract.this.name, tenure(sequence), Intent.YIELD,
						fair(next, OptionalLong.empty(), waited)))
				.join();
		}

		/** Be refused while subscribed, so that a wake-up must come. */
		void waitFor(long sequence) {
			subscribe();
			assertThat(acquire(LockBackendContract.this.name, sequence, LEASE, true)).isInstanceOf(Refused.class);
		}

		/**
		 * Wait for some lock, which opens the subscription, and stop waiting for it. One
		 * who waits is taken for dead after two seconds without a word: where several
		 * wait, all subscribe before.
		 */
		Client subscribe() {
			if (!this.subscribed) {
				String other = LockBackendContract.this.name + "-subscription-" + this.backend.clientId();
				Client holder = (this == LockBackendContract.this.one) ? LockBackendContract.this.two
						: LockBackendContract.this.one;
				holder.acquire(other, 1000, LEASE, false);
				acquire(other, 1000, LEASE, true);
				await().until(() -> {
					this.backend.release(new Release(other, tenure(1000), Intent.LEAVE, null)).join();
					return "up".equals(this.backend.probe().join().getOrDefault("subscription", "up"));
				});
				this.subscribed = true;
			}
			return this;
		}

		boolean curtail(long sequence, Duration rest) {
			return this.backend.shortenLease(LockBackendContract.this.name, tenure(sequence), rest).join();
		}

		void read(long sequence) {
			this.answered.add(sequence);
			Acquire command = new Acquire(LockBackendContract.this.name, tenure(sequence), LockType.READ,
					"holder-" + this.backend.clientId(), LEASE, null);
			assertThat(this.backend.acquire(command).join()).isInstanceOf(Granted.class);
		}

		AcquireReply permit(long sequence, int permits) {
			this.answered.add(sequence);
			return this.backend
				.acquire(new Acquire(LockBackendContract.this.name, tenure(sequence), LockType.REENTRANT,
						"holder-" + this.backend.clientId(), LEASE, null, permits))
				.join();
		}

		List<LockBackend.CurrentHolder> holders() {
			return occupancy().holders();
		}

		LockBackend.CurrentHolders occupancy() {
			return this.backend.holders(LockBackendContract.this.name).join();
		}

		Outcome oust(TenureId tenure) {
			return this.backend.release(new Release(LockBackendContract.this.name, tenure, Intent.FORCE, null))
				.join()
				.outcome();
		}

		/** End a tenure, to which nothing comes late if it has been asked for. */
		Outcome release(long sequence) {
			return end(sequence, this.answered.remove(sequence));
		}

		/** End a tenure that may be asked for later yet. */
		Outcome cancel(long sequence) {
			return end(sequence, false);
		}

		private Outcome end(long sequence, boolean settled) {
			return this.backend
				.release(new Release(LockBackendContract.this.name, tenure(sequence), Intent.LEAVE, null, settled))
				.join()
				.outcome();
		}

		boolean renew(long sequence, Duration lease) {
			return this.backend.renew(List.of(new Renew(LockBackendContract.this.name, tenure(sequence), 1, lease)))
				.get(0)
				.join()
				.held();
		}

		@Override
		public void granted(String lock, LockBackend.DirectGrant offer) {
			throw new AssertionError("Nobody here takes offers");
		}

		@Override
		public void contended(String lock) {
			this.wanted.add(lock);
		}

		@Override
		public void forceReleased(String lock) {
			this.forceReleased.add(lock);
		}

		@Override
		public void wake(String lock) {
			this.woken.add(lock);
		}

		@Override
		public void messagesMissed() {
			// Every name counts as perhaps free; these tests look at single ones.
		}

	}

}
