package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What tests of the machine of a name say: which event comes, and which effects it has.
 * Tenures are called by their numbers, requests by letters.
 */
abstract class LockMachineFixture {

	static final Duration LEASE = Duration.ofSeconds(30);

	/** Commands for such a lease time out sooner than others. */
	static final Duration SHORT = Duration.ofMillis(60);

	static final int LIMIT = 2;

	/** How long after its confirmation a tenure may be handed over. */
	static final Duration AGE = Duration.ofMillis(500);

	/** How many holds a tenure has tokens for. */
	static final int BLOCK = 1024 * LockBackend.TOKEN_BASES;

	final Map<String, WalkWaiter> waiters = new HashMap<>();

	final Map<String, LockOwner> owners = new HashMap<>();

	private final Map<Hold, String> names = new HashMap<>();

	final Map<String, Hold> holds = new HashMap<>();

	final List<String> effects = new ArrayList<>();

	final List<Effect.SendRelease> releases = new ArrayList<>();

	private long sequence;

	Moment now = new Moment(1_000_000_000_000L, 1_000_000);

	LockMachine machine = machine(LIMIT, true, false);

	Effect.SendAcquire question;

	Moment askedAt;

	Moment releasedAt;

	/** What the backend's clock showed when this JVM registered last. */
	private long registeredMicros;

	boolean hears = true;

	/** With what a request failed last. */
	Throwable failure;

	/** What was ended for sure last. */
	Effect.CancelUntilConfirmed ended;

	/** For how long a lock was held that was released last. */
	Duration heldFor;

	LockMachine machine(int handoverLimit, boolean directGrants, boolean keepsOrder) {
		return machine(handoverLimit, directGrants, keepsOrder, false);
	}

	LockMachine machine(int handoverLimit, boolean directGrants, boolean keepsOrder, boolean sendsReleases) {
		return new LockMachine(
				null, new MachineSettings("one", handoverLimit, AGE,
						directGrants ? MachineSettings.DIRECT_GRANT_LEASE : null, keepsOrder, sendsReleases),
				() -> new TenureId("me", ++this.sequence));
	}

	Tenure tenureOf(String name) {
		return this.machine.tenureOf(this.holds.get(name));
	}

	void request(String name) {
		request(name, LockType.REENTRANT);
	}

	void request(String name, LockType type) {
		enter(waiter(name, type, LockRequest.FOREVER, null, false));
	}

	void requestAgain(String name, String owner, LockType type) {
		this.owners.put(name, this.owners.get(owner));
		request(name, type);
	}

	void tries(String name) {
		tries(name, LockType.REENTRANT);
	}

	void tries(String name, LockType type) {
		enter(waiter(name, type, Duration.ZERO, null, false));
	}

	void waits(String name, Duration wait) {
		enter(waiter(name, LockType.REENTRANT, wait, null, false));
	}

	void fixed(String name, Duration lease) {
		enter(waiter(name, LockType.REENTRANT, LockRequest.FOREVER, lease, false));
	}

	void sleeps(String name) {
		enter(waiter(name, LockType.REENTRANT, LockRequest.FOREVER, null, true));
	}

	/** A request that was refused, and waits for its turn. */
	void queued(String name) {
		queued(name, LockType.REENTRANT);
	}

	void queued(String name, LockType type) {
		request(name, type);
		refuse(7);
		this.effects.clear();
	}

	void hold(String name) {
		hold(name, LockType.REENTRANT);
	}

	void hold(String name, LockType type) {
		request(name, type);
		grant(5);
		this.effects.clear();
	}

	/** A hold of a fixed lease, which nobody else here may have. */
	void holdFixed() {
		fixed("a", LEASE);
		grant(5);
		this.effects.clear();
	}

	void releasing() {
		hold("a");
		unlock("a");
		this.effects.clear();
	}

	void yields() {
		hold("a");
		contended();
		request("b");
		pass(Duration.ofMillis(10));
		unlock("a");
		assertThat(this.effects).contains("release 1 YIELD, ask 2 REENTRANT registers");
		this.effects.clear();
	}

	void returnsInOrder() {
		this.machine = machine(LIMIT, true, true);
		holdFixed();
		request("b");
		unlock("a");
		expect("release 1 RETURN", "stop 1", "ask 2 REENTRANT registers");
	}

	void readsOn() {
		hold("a", LockType.WRITE);
		requestAgain("b", "a", LockType.READ);
		this.effects.clear();
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASED);
		expect("release 1 DOWNGRADE");
		assertState(BackendState.Downgrading.class);
	}

	WalkWaiter waiter(String name, LockType type, Duration wait, Duration lease, boolean thread) {
		LockRequest request = LockRequest.of("name").type(type).waitTime(wait);
		LockOwner owner = this.owners.computeIfAbsent(name, LockOwner::create);
		WalkWaiter waiter = new WalkWaiter(name, (lease != null) ? request.leaseTime(lease) : request, owner,
				(lease != null) ? lease : LEASE, thread, this.now);
		this.waiters.put(name, waiter);
		return waiter;
	}

	void enter(WalkWaiter waiter) {
		this.machine.subscribed(this.hears);
		assertThat(this.machine.request(waiter, null, this.now)).isTrue();
		take();
	}

	void expire(String name) {
		this.machine.expire(this.waiters.get(name), this.now);
		take();
	}

	void withdraw(String name) {
		assertThat(this.machine.withdraw(this.waiters.get(name), this.now)).isTrue();
		take();
	}

	long takeOffer(String name) {
		this.machine.subscribed(this.hears);
		long nap = this.machine.takeOffer(this.waiters.get(name), this.now);
		take();
		return nap;
	}

	UnlockResult unlock(String name) {
		this.machine.subscribed(this.hears);
		UnlockResult outcome = this.machine.unlock(this.holds.get(name), null, this.now);
		take();
		return outcome;
	}

	void grant(long base) {
		grant(base, false);
	}

	void grant(long base, boolean contended) {
		this.machine.replied(this.question, new LockBackend.Granted(base, contended), this.askedAt, this.now);
		take();
	}

	void refuse() {
		refuse(OptionalLong.empty(), LEASE);
	}

	void refuse(long place) {
		refuse(place, LEASE);
	}

	void refuse(long place, Duration remaining) {
		refuse(OptionalLong.of(place), remaining);
	}

	void refuse(OptionalLong place, Duration remaining) {
		this.registeredMicros = micros();
		this.machine.replied(this.question,
				new LockBackend.Refused(new Holder("another", Duration.ZERO, remaining), place, micros()), this.askedAt,
				this.now);
		take();
	}

	void fail(Reason reason) {
		this.machine.failed(true, failure(reason), this.now);
		take();
	}

	void failsWhenSentAgain(Reason reason) {
		this.machine.failed(true, new LockBackendException("name", reason, "planted", true, null), this.now);
		take();
	}

	static LockBackendException failure(Reason reason) {
		return new LockBackendException("name", reason, "planted", null);
	}

	void answer(Outcome outcome) {
		answer(new Release.Reply(outcome, OptionalLong.empty()));
	}

	void answer(Outcome outcome, long place) {
		answer(new Release.Reply(outcome, OptionalLong.of(place)));
	}

	/** Nobody waits before the fair request that a release was to go on with. */
	void answerFirst(long place) {
		answer(new Release.Reply(Outcome.RELEASED, OptionalLong.of(place), true));
	}

	void answer(Release.Reply reply) {
		this.registeredMicros = micros();
		this.machine.released(this.releases.remove(0), reply, null, this.releasedAt, this.now);
		take();
	}

	void releaseFails(Reason reason) {
		this.machine.released(this.releases.remove(0), null, failure(reason), this.releasedAt, this.now);
		take();
	}

	void directGrant(long tenure, long base) {
		directGrant(tenure, base, Duration.ZERO);
	}

	/** The lock is granted by a message some time after the request. */
	void directGrant(long tenure, long base, Duration late) {
		LockBackend.DirectGrant offer = offer(tenure, base, this.registeredMicros);
		pass(late);
		directGrant(offer);
	}

	void directGrant(LockBackend.DirectGrant offer) {
		this.machine.granted(offer, this.now);
		take();
	}

	static LockBackend.DirectGrant offer(long tenure, long base, long requestMicros) {
		return new LockBackend.DirectGrant(new TenureId("me", tenure), base, false, LEASE, requestMicros);
	}

	void contended() {
		this.machine.contended(this.now);
	}

	void loseTenure(String name) {
		this.machine.ended(tenureOf(name), LockLoss.Reason.NOT_OWNED, this.now);
		take();
	}

	void endOwner(String name) {
		this.machine.ended(this.holds.get(name), LockLoss.Reason.OWNER_ENDED, this.now);
		take();
	}

	void wake() {
		this.machine.woken(this.now);
		take();
	}

	void withdrawn() {
		this.machine.withdrawn(this.now);
		take();
	}

	void recheck() {
		this.machine.recheck(this.now);
		take();
	}

	void close() {
		this.machine.close((waiter) -> true, this.now);
		take();
	}

	void pass(Duration time) {
		this.now = this.now.plus(time);
	}

	long micros() {
		return this.now.nanos() / 1000;
	}

	void take() {
		for (Effect effect : this.machine.takeEffects()) {
			if (effect instanceof Effect.SendAcquire sent) {
				this.question = sent;
				this.askedAt = this.now;
			}
			else if (effect instanceof Effect.SendRelease sent) {
				this.releases.add(sent);
				this.releasedAt = this.now;
			}
			else if (effect instanceof Effect.Grant grant) {
				this.holds.put(grant.waiter().toString(), grant.hold());
				this.names.putIfAbsent(grant.hold(), grant.waiter().toString());
			}
			else if (effect instanceof Effect.Fail fail) {
				this.failure = fail.cause();
			}
			else if (effect instanceof Effect.CancelUntilConfirmed end) {
				this.ended = end;
			}
			else if (effect instanceof Effect.Released released) {
				this.heldFor = released.heldFor();
			}
			this.effects.add(text(effect));
		}
	}

	void expect(String... expected) {
		assertThat(this.effects).containsExactly(expected);
		this.effects.clear();
	}

	void assertState(Class<? extends BackendState> state) {
		assertThat(this.machine.remote()).isInstanceOf(state);
	}

	private String text(Effect effect) {
		if (effect instanceof Effect.SendAcquire sent) {
			return text(sent.command());
		}
		if (effect instanceof Effect.SendRelease sent) {
			Acquire next = sent.command().next();
			return "release %d %s%s".formatted(sent.command().tenure().sequence(), sent.command().intent(),
					(next != null) ? ", " + text(next) : "");
		}
		if (effect instanceof Effect.CancelUntilConfirmed end) {
			return "end " + end.tenure().sequence();
		}
		if (effect instanceof Effect.Leave leave) {
			return (leave.tenure() != null) ? "leave " + leave.tenure().sequence() : "leave";
		}
		if (effect instanceof Effect.Grant grant) {
			return "grant %s %s".formatted(grant.waiter(), grant.kind());
		}
		if (effect instanceof Effect.Refuse refusal) {
			return "refuse " + refusal.waiter();
		}
		if (effect instanceof Effect.Fail failure) {
			return "fail %s: %s".formatted(failure.waiter(), (failure.cause() instanceof LockBackendException known)
					? known.reason() : failure.cause().getClass().getSimpleName());
		}
		return (effect instanceof Effect.Signal signal) ? "signal " + signal.waiter() : textOfOthers(effect);
	}

	private String textOfOthers(Effect effect) {
		if (effect instanceof Effect.Recheck recheck) {
			long most = recheck.longestNanos();
			return "%s %d%s".formatted(recheck.wakeable() ? "recheck" : "pause", recheck.nanos() / 1_000_000,
					(most < Long.MAX_VALUE) ? ".." + most / 1_000_000 : "");
		}
		if (effect instanceof Effect.StopRecheck) {
			return "no recheck";
		}
		if (effect instanceof Effect.StartRenewal start) {
			return "renew " + start.tenure().id().sequence();
		}
		if (effect instanceof Effect.StopRenewal stop) {
			return "stop " + stop.tenure().id().sequence();
		}
		if (effect instanceof Effect.WriteCount count) {
			return "count " + count.tenure().id().sequence();
		}
		if (effect instanceof Effect.RetryDowngrade retry) {
			return "downgrade %d later".formatted(retry.tenure().id().sequence());
		}
		if (effect instanceof Effect.Released released) {
			return "released " + this.names.get(released.hold());
		}
		if (effect instanceof Effect.Unconfirmed released) {
			return "unconfirmed %s: %s".formatted(this.names.get(released.hold()), released.cause().reason());
		}
		if (effect instanceof Effect.LossFoundByRelease lost) {
			return "found lost %s: %s".formatted(this.names.get(lost.hold()), lost.loss().reason());
		}
		if (effect instanceof Effect.Lost lost) {
			return "lost %s: %s".formatted(this.names.get(lost.hold()), lost.loss().reason());
		}
		if (effect instanceof Effect.ForgetLoss known) {
			return "%s knows of the loss".formatted(this.names.get(known.hold()));
		}
		return "retire";
	}

	static String text(Acquire command) {
		LockBackend.Waiting waiting = command.waiting();
		String place = (waiting != null && waiting.position().isPresent()) ? " at " + waiting.position().getAsLong()
				: "";
		return "ask %d %s%s%s".formatted(command.tenure().sequence(), command.type(),
				(waiting != null) ? " registers" : "", place);
	}

}
