package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Two instances, each with a real {@link LockMachine} for the same name, on a model of
 * the server. Each step of a walk is an event of one of them, of the server, or of the
 * network between them, which delays, loses and repeats. After each step it is checked
 * what must always hold; in the end, when all have come to rest, that nothing is left.
 */
final class LockWalk {

	private static final String NAME = "name";

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration SHORT_LEASE = Duration.ofMillis(60);

	/** How long after its confirmation a tenure may be handed over, or joined. */
	private static final Duration HANDOVER_AGE = Duration.ofMillis(500);

	private static final Reason[] REASONS = { Reason.TIMEOUT, Reason.TIMEOUT, Reason.UNREACHABLE, Reason.READ_ONLY,
			Reason.OUT_OF_MEMORY, Reason.NOT_AUTHORIZED, Reason.NOT_SUPPORTED };

	/** How often each kind of step is taken, in hundredths. */
	private static final Kind[] KINDS = kinds();

	private final Profile profile;

	private final WalkServer server = new WalkServer();

	private final List<Instance> instances = new ArrayList<>();

	private final Set<TenureId> forgotten = new HashSet<>();

	private final @Nullable List<String> story;

	private long nanos = TimeUnit.SECONDS.toNanos(100);

	private long lastExclusiveToken;

	private long lastToken;

	private final Set<Long> tokens = new HashSet<>();

	private int requests;

	private int events;

	/** Whether a hint was lost, or a command has failed: then others wait a little. */
	private boolean lossy;

	LockWalk(Profile profile, @Nullable List<String> story) {
		this.profile = profile;
		this.story = story;
		this.server.nanos = this.nanos;
		this.instances.add(new Instance("A"));
		this.instances.add(new Instance("B"));
	}

	private static Kind[] kinds() {
		List<Kind> all = new ArrayList<>();
		for (Kind kind : Kind.values()) {
			for (int i = 0; i < kind.weight; i++) {
				all.add(kind);
			}
		}
		return all.toArray(Kind[]::new);
	}

	/**
	 * Take some steps, and then come to rest.
	 * @throws Violation if something is wrong
	 */
	void run(List<Step> steps) {
		for (Step step : steps) {
			pass(step.c % 50_000);
			take(step);
			check();
		}
		comeToRest();
	}

	int events() {
		return this.events;
	}

	private void take(Step step) {
		Instance one = this.instances.get(step.a & 1);
		int pick = step.a >>> 1;
		switch (KINDS[step.kind % KINDS.length]) {
			case REQUEST -> one.request(pick, step.b);
			case WITHDRAW -> one.withdraw(pick);
			case EXPIRE -> one.expire(pick);
			case TAKE_OFFER -> one.takeOffer(pick);
			case UNLOCK -> one.unlock(pick);
			case EXECUTE -> one.execute(pick, step.b);
			case ANSWER -> one.answer(pick);
			case FAIL -> one.fail(pick, step.b);
			case MESSAGE -> one.hear(pick, step.b % 8 == 0);
			case LOSE_MESSAGE -> one.loseMessage(pick);
			case RECHECK -> one.recheck(step.b % 4 == 0);
			case RENEW -> one.renew(pick, step.b % 4 == 0);
			case TIME -> pass(TimeUnit.MILLISECONDS.toNanos(1 + step.b % 700));
			case LONG_TIME -> pass(TimeUnit.SECONDS.toNanos(1 + step.b % 35));
			case TICK -> one.tick();
			case HINT -> one.hint(step.b);
			case FORGET -> one.forget(pick);
			case LOSE_HOLD -> one.loseHold(pick);
			case HEARING -> one.toggleHearing();
			case DOWNGRADE -> one.downgradeAgain();
			case CLOSE -> one.close(step.b);
		}
	}

	private void pass(long time) {
		this.nanos += time;
		this.server.nanos = this.nanos;
	}

	private Moment now() {
		return new Moment(this.nanos, this.nanos / 1_000_000);
	}

	private void tell(String event) {
		this.events++;
		if (this.story != null) {
			this.story.add("%,d µs  %s".formatted(this.nanos / 1000 - 100_000_000, event));
		}
	}

	private void tellEffect(Instance one, Effect effect) {
		if (this.story != null) {
			this.story.add("          " + one.name + " -> " + Story.of(effect));
		}
	}

	private void check() {
		Moment now = now();
		List<Hold> valid = new ArrayList<>();
		for (Instance one : this.instances) {
			one.check(now, valid);
		}
		if (!this.lossy && this.server.leavesThemWaiting()
				&& this.instances.stream().allMatch((one) -> one.flights.isEmpty() && one.messages.isEmpty())) {
			throw new Violation("the lock is free, and nobody of those who wait is told");
		}
		for (int i = 0; i < valid.size(); i++) {
			for (int j = i + 1; j < valid.size(); j++) {
				Hold first = valid.get(i);
				Hold second = valid.get(j);
				if (!(areShares(first, second)) && first.owner() != second.owner()) {
					throw new Violation("two have the lock: " + Story.of(first) + " and " + Story.of(second));
				}
			}
		}
		List<Hold> permits = valid.stream()
			.filter((hold) -> Exclusivity.of(hold.request()) == Exclusivity.PERMIT)
			.toList();
		int most = permits.stream().mapToInt((hold) -> hold.request().permits()).max().orElse(0);
		if (permits.size() > most) {
			throw new Violation(
					"more than %d have permits: %s".formatted(most, permits.stream().map(Story::of).toList()));
		}
	}

	private static boolean areShares(Hold first, Hold second) {
		return Exclusivity.of(first.request()).isShared() && Exclusivity.of(second.request()).isShared();
	}

	/** Let all that is under way happen, and all who have the lock release it. */
	private void comeToRest() {
		tell("--- all comes to rest");
		this.instances.forEach((one) -> one.hearing = true);
		int rounds = 0;
		while (!this.instances.stream().allMatch(Instance::isAtRest)) {
			if (++rounds > 400) {
				throw new Violation("some wait for ever: " + this.instances);
			}
			for (Instance one : this.instances) {
				one.rest();
				check();
			}
		}
		if (!this.lossy && !this.server.leftAlive().isEmpty()) {
			throw new Violation("left behind: " + this.server.leftAlive());
		}
		pass(TimeUnit.MILLISECONDS.toNanos(2500));
		if (!this.server.left().isEmpty()) {
			throw new Violation("left on the server: " + this.server.left());
		}
		for (Instance one : this.instances) {
			if (one.machine != null) {
				throw new Violation(one + " has not retired: " + one.machine.remote());
			}
		}
	}

	/**
	 * What is true for a whole walk.
	 */
	record Profile(List<LockType> types, boolean directGrants, boolean keepsOrder, boolean sendsReleases,
			int handoverLimit, int faults, List<Integer> permits) {

		static Profile of(int number) {
			List<LockType> types = switch (number % 4) {
				case 0 -> List.of(LockType.REENTRANT);
				case 1 -> List.of(LockType.REENTRANT, LockType.FAIR);
				case 2 -> List.of(LockType.READ, LockType.WRITE);
				default -> List.of(LockType.values());
			};
			List<Integer> permits = switch (number / 4 % 6) {
				case 0 -> List.of(2);
				case 1 -> List.of(1, 2);
				case 2 -> List.of(3, 3, 3, 1);
				case 3 -> List.of(2, 4);
				default -> List.of(1);
			};
			return new Profile(types, number % 3 != 0, number % 5 != 0, number % 11 < 5, (number % 7 == 0) ? 0 : 2,
					number % 6, permits);
		}

	}

	/**
	 * One step of a walk. What its numbers mean depends on what is there to choose from.
	 */
	record Step(int kind, int a, int b, int c) {
	}

	/**
	 * Something that must never be.
	 */
	static final class Violation extends RuntimeException {

		private static final long serialVersionUID = 1L;

		Violation(String text) {
			super(text);
		}

	}

	private enum Kind {

		REQUEST(16), WITHDRAW(3), EXPIRE(3), TAKE_OFFER(8), UNLOCK(14), EXECUTE(20), ANSWER(18), FAIL(3), MESSAGE(10),
		LOSE_MESSAGE(1), RECHECK(3), RENEW(2), TIME(3), LONG_TIME(1), TICK(1), HINT(2), FORGET(1), LOSE_HOLD(1),
		HEARING(1), DOWNGRADE(3), CLOSE(1);

		private final int weight;

		Kind(int weight) {
			this.weight = weight;
		}

	}

	/**
	 * A command on its way to the server, or its answer on its way back.
	 */
	private static final class Flight {

		private final Effect.Command command;

		private final LockMachine sender;

		private final Moment sentAt;

		private boolean executed;

		/** Whether the sender has been woken meanwhile. */
		private boolean woken;

		/** Whether the sender has been told that it failed. */
		private boolean failed;

		private @Nullable Object reply;

		Flight(Effect.Command command, LockMachine sender, Moment sentAt) {
			this.command = command;
			this.sender = sender;
			this.sentAt = sentAt;
		}

	}

	/**
	 * One instance of an application.
	 */
	private final class Instance {

		private final String name;

		private final List<LockOwner> owners;

		private final Set<Waiter> open = new LinkedHashSet<>();

		private final List<Hold> entries = new ArrayList<>();

		private final List<Flight> flights = new ArrayList<>();

		private final List<WalkServer.Message> messages = new ArrayList<>();

		private final List<Tenure> downgrades = new ArrayList<>();

		private @Nullable LockMachine machine;

		private boolean hearing = true;

		private boolean closed;

		/** The head of the queue before the event. */
		private @Nullable Waiter headBefore;

		/** How often tenures were handed over after others were heard to wait. */
		private final Map<TenureId, Integer> handedOver = new HashMap<>();

		private long sequence;

		private long recheckAt = Long.MAX_VALUE;

		Instance(String name) {
			this.name = name;
			this.owners = List.of(LockOwner.create("x"), LockOwner.create("y"), LockOwner.create("z"));
		}

		private TenureId nextTenure() {
			return new TenureId(this.name, ++this.sequence);
		}

		private LockMachine machine() {
			if (this.machine == null) {
				this.machine = new LockMachine(null,
						new MachineSettings(this.name, LockWalk.this.profile.handoverLimit(), HANDOVER_AGE,
								LockWalk.this.profile.directGrants() ? MachineSettings.DIRECT_GRANT_LEASE : null,
								LockWalk.this.profile.keepsOrder(), LockWalk.this.profile.sendsReleases()),
						this::nextTenure);
			}
			return this.machine;
		}

		void request(int pick, int variant) {
			if (this.open.size() > 6) {
				return;
			}
			LockType type = LockWalk.this.profile.types().get(pick % LockWalk.this.profile.types().size());
			Duration wait = (variant % 4 == 0) ? Duration.ZERO
					: (variant % 4 == 1) ? Duration.ofMillis(300) : LockRequest.FOREVER;
			LockRequest request = LockRequest.of(NAME).type(type).waitTime(wait);
			if (type == LockType.REENTRANT || type == LockType.FAIR) {
				List<Integer> permits = LockWalk.this.profile.permits();
				request = request.permits(permits.get((variant >>> 11) % permits.size()));
			}
			Duration lease = LEASE;
			if ((variant >>> 2) % 8 == 0) {
				lease = ((variant >>> 5) % 2 == 0) ? SHORT_LEASE : Duration.ofSeconds(5);
				request = request.leaseTime(lease);
			}
			LockOwner owner = ((variant >>> 6) % 4 == 0) ? this.owners.get((variant >>> 8) % 3) : LockOwner.create("w");
			String label = "%s%d".formatted(this.name, ++LockWalk.this.requests);
			WalkWaiter waiter = new WalkWaiter(label, request, owner, lease, (variant >>> 10) % 2 == 0, now());
			this.open.add(waiter);
			if (LockWalk.this.story != null) {
				tell("%s requests %s of %d, waits %s, lease %s%s, owner %s".formatted(label, type, request.permits(),
						wait, lease, request.leaseTime() == null ? " renewed" : "", owner));
			}
			step(machine(), waiter, (machine) -> {
				if (!machine.request(waiter, this.closed ? new LockRegistryClosedException(NAME) : null, now())) {
					throw new Violation("a retired machine is used");
				}
			});
		}

		/** What the lock does before each event. */
		private void hears(@Nullable Waiter entering) {
			List<Waiter> waiters = machine().waiters();
			this.headBefore = waiters.isEmpty() ? null : waiters.get(0);
			machine().tenures()
				.stream()
				.filter(Tenure::isContended)
				.forEach((tenure) -> this.handedOver.putIfAbsent(tenure.id(), 0));
			machine().subscribed(machine().needsSubscription(entering) && this.hearing);
		}

		void withdraw(int pick) {
			Waiter waiter = pick(this.open, pick);
			if (waiter != null) {
				tell(waiter + " is withdrawn");
				step((machine) -> {
					if (!machine.withdraw(waiter, now())) {
						throw new Violation(waiter + " is not settled and cannot be withdrawn");
					}
					this.open.remove(waiter);
				});
			}
		}

		void expire(int pick) {
			Waiter waiter = pick(this.open, pick);
			if (waiter != null && waiter.hasDeadline()) {
				tell("the wait time of " + waiter + " is over");
				step((machine) -> machine.expire(waiter, now()));
			}
		}

		void takeOffer(int pick) {
			Waiter waiter = pick(this.open, pick);
			if (waiter != null && waiter.hasThread()) {
				tell(waiter + " looks whether the lock is on offer");
				step((machine) -> machine.takeOffer(waiter, now()));
			}
		}

		void unlock(int pick) {
			if (this.entries.isEmpty()) {
				return;
			}
			Hold hold = this.entries.remove(pick % this.entries.size());
			tell(this.name + " unlocks " + Story.of(hold));
			// Also if the lock was lost, and nothing is left of its machine.
			step(machine(), null, (machine) -> {
				try {
					UnlockResult outcome = machine.unlock(hold, null, now());
					if ((outcome == UnlockResult.LOST) != hold.isLost()) {
						throw new Violation(Story.of(hold) + " is " + outcome);
					}
				}
				catch (LockNotHeldException ex) {
					throw new Violation(Story.of(hold) + " cannot be released");
				}
			});
		}

		void execute(int pick, int variant) {
			List<Flight> waiting = this.flights.stream().filter((flight) -> !flight.executed).toList();
			if (waiting.isEmpty()) {
				return;
			}
			// In order as a rule, but a connection may be another one, or break.
			Flight next = waiting.get((variant % 8 == 0) ? pick % waiting.size() : 0);
			// Then a refusal by a lock that is just released may seem to be one by
			// others.
			LockWalk.this.lossy |= next != waiting.get(0);
			execute(next);
			if ((variant >>> 3) % 16 == 0 && !(next.command instanceof Effect.CancelUntilConfirmed)) {
				tell("   it arrives twice");
				// The client is told the second reply.
				execute(next);
			}
		}

		private void execute(Flight flight) {
			tell("the server executes " + Story.of(flight.command));
			flight.executed = true;
			WalkServer server = LockWalk.this.server;
			if (flight.command instanceof Effect.SendAcquire question) {
				flight.reply = server.acquire(question.command());
			}
			else if (flight.command instanceof Effect.SendRelease release) {
				flight.reply = server.release(release.command());
			}
			else if (flight.command instanceof Effect.CancelUntilConfirmed end) {
				flight.reply = server.release(new Release(NAME, end.tenure(), Intent.LEAVE, null));
			}
			else if (flight.command instanceof Effect.Leave leave) {
				TenureId tenure = (leave.tenure() != null) ? leave.tenure() : new TenureId(this.name, 0);
				flight.reply = server.release(new Release(NAME, tenure, Intent.LEAVE, null));
			}
			if (flight.failed) {
				this.flights.remove(flight);
			}
			deliver();
		}

		private void deliver() {
			LockWalk.this.server.takeMessages()
				.forEach((message) -> LockWalk.this.instances.get(message.client().equals("A") ? 0 : 1).messages
					.add(message));
		}

		void answer(int pick) {
			List<Flight> answered = this.flights.stream().filter((flight) -> flight.executed).toList();
			if (!answered.isEmpty()) {
				answer(answered.get(pick % answered.size()));
			}
		}

		private void answer(Flight flight) {
			this.flights.remove(flight);
			tell(this.name + " hears that " + Story.of(flight.command) + ": " + Story.of(flight.reply));
			LockMachine sender = flight.sender;
			boolean woken = flight.woken;
			if (flight.command instanceof Effect.SendAcquire question) {
				step(sender, null, (machine) -> machine.replied(question, (LockBackend.AcquireReply) flight.reply,
						flight.sentAt, now()));
				checkAsksAgain(sender, woken);
			}
			else if (flight.command instanceof Effect.SendRelease release) {
				step(sender, null, (machine) -> machine.released(release, (Release.Reply) flight.reply, null,
						flight.sentAt, now()));
				checkAsksAgain(sender, woken && release.command().next() != null);
			}
			else if (this.machine != null) {
				step((current) -> current.withdrawn(now()));
			}
		}

		/** A wake-up that is quicker than the answer is not forgotten. */
		private void checkAsksAgain(LockMachine machine, boolean woken) {
			if (woken && machine.remote() instanceof BackendState.Waiting) {
				throw new Violation(this.name + " has forgotten a wake-up");
			}
		}

		void fail(int pick, int variant) {
			List<Flight> open = this.flights.stream().filter((flight) -> !flight.failed).toList();
			if (open.isEmpty() || LockWalk.this.profile.faults() == 0) {
				return;
			}
			Flight flight = open.get(pick % open.size());
			if (flight.command instanceof Effect.CancelUntilConfirmed
					|| (flight.command instanceof Effect.Leave leave && leave.tenure() != null)) {
				// Sent again, and perhaps executed twice.
				tell(this.name + " repeats " + Story.of(flight.command));
				flight.executed = false;
				return;
			}
			Reason reason = REASONS[variant % REASONS.length];
			LockBackendException failure = new LockBackendException(NAME, reason, "planted", flight.executed, null);
			boolean executedLater = !flight.executed && failure.mayHaveRun() && (variant >>> 4) % 2 == 0;
			flight.failed = true;
			// Whoever was woken may wait for the end of an outage instead.
			LockWalk.this.lossy = true;
			if (!executedLater) {
				this.flights.remove(flight);
			}
			tell("%s hears that %s has failed: %s%s".formatted(this.name, Story.of(flight.command), reason,
					executedLater ? ", but it arrives later" : flight.executed ? ", but it was executed" : ""));
			if (flight.command instanceof Effect.SendAcquire) {
				step(flight.sender, null, (machine) -> machine.failed(true, failure, now()));
			}
			else if (flight.command instanceof Effect.SendRelease release) {
				step(flight.sender, null, (machine) -> machine.released(release, null, failure, flight.sentAt, now()));
			}
		}

		void hear(int pick, boolean twice) {
			if (!this.messages.isEmpty()) {
				WalkServer.Message message = this.messages.get(pick % this.messages.size());
				if (!twice) {
					this.messages.remove(message);
				}
				hear(message);
			}
		}

		private void hear(WalkServer.Message message) {
			tell(this.name + " hears: " + message.kind()
					+ ((message.offer() != null) ? " " + message.offer().tenure() : ""));
			LockBackend.DirectGrant offer = message.offer();
			if (this.machine == null) {
				// As the table of locks does.
				if (offer != null) {
					send(new Effect.Leave(offer.tenure(), false), machine());
				}
				else if (message.kind().equals("wake")) {
					send(new Effect.Leave(null, true), machine());
				}
				this.machine = null;
				return;
			}
			if (offer != null) {
				step((machine) -> machine.granted(offer, now()));
			}
			else if (message.kind().equals("wake")) {
				LockMachine woken = this.machine;
				this.flights.stream()
					.filter((flight) -> flight.sender == woken && !flight.failed)
					.forEach((flight) -> flight.woken = true);
				step((machine) -> machine.woken(now()));
			}
			else {
				step((machine) -> machine.contended(now()));
			}
		}

		void loseMessage(int pick) {
			if (!this.messages.isEmpty() && LockWalk.this.profile.faults() > 1) {
				WalkServer.Message lost = this.messages.remove(pick % this.messages.size());
				tell(this.name + " never hears: " + lost.kind());
				LockWalk.this.lossy = true;
			}
		}

		void recheck(boolean wait) {
			if (wait && this.recheckAt != Long.MAX_VALUE) {
				pass(Math.max(0, this.recheckAt - LockWalk.this.nanos));
			}
			if (this.recheckAt <= LockWalk.this.nanos) {
				this.recheckAt = Long.MAX_VALUE;
				tell(this.name + " looks again by itself");
				step((machine) -> machine.recheck(now()));
			}
		}

		void renew(int pick, boolean lost) {
			List<Tenure> tenures = (this.machine != null) ? this.machine.tenures() : List.of();
			Tenure tenure = pick(tenures, pick);
			if (tenure == null || !tenure.lease().isRenewed()) {
				return;
			}
			boolean held = LockWalk.this.server.renew(tenure.id(), tenure.lease().time());
			tell("%s renews %s: %s%s".formatted(this.name, tenure.id(), held, lost ? ", but the reply is lost" : ""));
			if (!lost && held) {
				tenure.lease().confirm(Lease.of(now(), tenure.lease().time()), now());
			}
			else if (!lost) {
				step((machine) -> machine.ended(tenure, LockLoss.Reason.NOT_OWNED, now()));
			}
		}

		void tick() {
			tell(this.name + " looks for leases that are over");
			step((machine) -> machine.tick(now()));
			if (this.machine != null
					&& this.machine.tenures().stream().anyMatch((tenure) -> !tenure.lease().isValid(now()))) {
				throw new Violation("a lease is over, and nobody is told");
			}
		}

		void hint(int kind) {
			if (kind % 3 == 0) {
				tell(this.name + " is woken for nothing");
				step((machine) -> machine.woken(now()));
			}
			else if (kind % 3 == 1) {
				tell(this.name + " hears of others who wait, without any");
				step((machine) -> machine.contended(now()));
			}
			else {
				tell(this.name + " is told that it was taken out of those who wait");
				step((machine) -> machine.withdrawn(now()));
			}
		}

		void forget(int pick) {
			TenureId tenure = (LockWalk.this.profile.faults() > 3) ? LockWalk.this.server.forget(pick) : null;
			if (tenure != null) {
				tell("the server forgets " + tenure);
				LockWalk.this.forgotten.add(tenure);
				deliver();
			}
		}

		void loseHold(int pick) {
			if (!this.entries.isEmpty() && this.machine != null && LockWalk.this.profile.faults() > 2) {
				Hold hold = this.entries.get(pick % this.entries.size());
				tell("the owner of " + Story.of(hold) + " has ended");
				step((machine) -> machine.ended(hold, LockLoss.Reason.OWNER_ENDED, now()));
			}
		}

		void toggleHearing() {
			this.hearing = !this.hearing;
			tell(this.name + (this.hearing ? " can hear" : " can not hear"));
		}

		void downgradeAgain() {
			if (!this.downgrades.isEmpty()) {
				Tenure written = this.downgrades.remove(0);
				tell(this.name + " asks again to let others in");
				step((machine) -> machine.downgradeAgain(written, now()));
			}
		}

		void close(int variant) {
			if (variant % 8 == 0 && !this.closed && this.machine != null) {
				this.closed = true;
				tell(this.name + " closes");
				step((machine) -> machine.close((waiter) -> true, now()));
			}
		}

		private void step(Event event) {
			if (this.machine != null) {
				step(this.machine, null, event);
			}
		}

		private void step(LockMachine machine, @Nullable Waiter entering, Event event) {
			hears(entering);
			event.happens(machine);
			perform(machine);
		}

		private void perform(LockMachine machine) {
			boolean retired = false;
			for (Effect effect : machine.takeEffects()) {
				tellEffect(this, effect);
				perform(effect, machine);
				retired |= effect instanceof Effect.Retire;
			}
			if (retired) {
				checkRetired(machine);
				checkLeft();
				if (this.machine == machine) {
					this.machine = null;
				}
			}
			else if (this.machine == machine && isUnused(machine)) {
				// A lost hold was released after its machine had retired.
				this.machine = null;
			}
		}

		private boolean isUnused(LockMachine machine) {
			return machine.remote() instanceof BackendState.Idle && machine.waiting() == 0
					&& machine.tenures().isEmpty()
					&& this.flights.stream().noneMatch((flight) -> flight.sender == machine);
		}

		private void perform(Effect effect, LockMachine machine) {
			if (effect instanceof Effect.Command command) {
				send(command, machine);
			}
			else if (effect instanceof Effect.Grant grant) {
				granted(grant);
			}
			else if (effect instanceof Effect.Refuse refusal) {
				settled(refusal.waiter());
			}
			else if (effect instanceof Effect.Fail failure) {
				settled(failure.waiter());
			}
			else if (effect instanceof Effect.Recheck recheck) {
				this.recheckAt = LockWalk.this.nanos + Math.min(recheck.nanos(), recheck.longestNanos());
			}
			else if (effect instanceof Effect.StopRecheck) {
				this.recheckAt = Long.MAX_VALUE;
			}
			else if (effect instanceof Effect.RetryDowngrade retry) {
				this.downgrades.add(retry.tenure());
			}
		}

		private void send(Effect.Command command, LockMachine machine) {
			if (command instanceof Effect.SendAcquire && this.flights.stream()
				.anyMatch((flight) -> flight.command instanceof Effect.SendAcquire && !flight.failed
						&& flight.sender == machine)) {
				throw new Violation(this.name + " asks two questions at once");
			}
			this.flights.add(new Flight(command, machine, now()));
		}

		private void granted(Effect.Grant grant) {
			settled(grant.waiter());
			Hold hold = grant.hold();
			this.entries.add(hold);
			if (grant.kind() == GrantKind.REENTERED) {
				return;
			}
			boolean shared = Exclusivity.of(hold.request()).isShared();
			boolean readsAsWriter = hold.request().type().isShared()
					&& this.machine.tenureOf(hold).holds().exclusive() != null;
			if (!readsAsWriter && !LockWalk.this.tokens.add(hold.token())
					&& !LockWalk.this.forgotten.contains(hold.tenure())) {
				throw new Violation("a token that is used again: " + Story.of(hold));
			}
			if (!readsAsWriter && !LockWalk.this.forgotten.contains(hold.tenure())
					&& hold.token() <= (shared ? LockWalk.this.lastExclusiveToken : LockWalk.this.lastToken)) {
				throw new Violation("a token that does not rise: " + Story.of(hold));
			}
			LockWalk.this.lastToken = Math.max(LockWalk.this.lastToken, hold.token());
			if (!shared) {
				LockWalk.this.lastExclusiveToken = hold.token();
			}
			if (!readsAsWriter && grant.kind() != GrantKind.ACQUIRED
					&& !hold.lease().isConfirmedWithin(HANDOVER_AGE, now())) {
				throw new Violation(Story.of(hold) + " begins although the server was not heard of for long");
			}
			if (grant.kind() == GrantKind.HANDED_OVER) {
				checkHandOver(grant.waiter());
				Integer often = this.handedOver.computeIfPresent(hold.tenure(), (id, count) -> count + 1);
				if (often != null && often > LockWalk.this.profile.handoverLimit()) {
					throw new Violation("others wait too long for " + Story.of(hold));
				}
			}
		}

		/** Nobody overtakes a fair request at the head, and no fair one another. */
		private void checkHandOver(Waiter granted) {
			for (Waiter other : machine().waiters()) {
				if (other.isFair() && other.waits() && other.timeoutNanos() >= Commands.LONGEST_NANOS
						&& (granted.isFair() || other == this.headBefore) && comesBefore(other, granted)) {
					throw new Violation(granted + " overtakes " + other);
				}
			}
		}

		private boolean comesBefore(Waiter one, Waiter other) {
			return Integer.parseInt(one.toString().substring(1)) < Integer.parseInt(other.toString().substring(1));
		}

		private void settled(Waiter waiter) {
			if (!this.open.remove(waiter)) {
				throw new Violation(waiter + " is settled twice, or after it was withdrawn");
			}
		}

		void check(Moment now, List<Hold> valid) {
			LockMachine current = this.machine;
			if (current == null) {
				if (this.recheckAt != Long.MAX_VALUE) {
					throw new Violation("a timer is left behind");
				}
				if (!this.open.isEmpty()) {
					throw new Violation(this.open + " wait where nothing is");
				}
				return;
			}
			for (Hold hold : current.holds()) {
				if (hold.isValid(now) && !LockWalk.this.forgotten.contains(hold.tenure())) {
					valid.add(hold);
					if (!LockWalk.this.server.holds(hold.tenure())) {
						throw new Violation(Story.of(hold) + " is valid, but the server has not got it");
					}
				}
			}
			if (!Set.copyOf(current.waiters()).equals(this.open)) {
				throw new Violation("waiting: %s, not settled: %s".formatted(current.waiters(), this.open));
			}
			checkConclusions(current);
		}

		/** What cannot be after conclusions were drawn. */
		private void checkConclusions(LockMachine current) {
			BackendState remote = current.remote();
			List<Waiter> waiters = current.waiters();
			if (waiters.isEmpty() && remote instanceof BackendState.Waiting) {
				throw new Violation("this JVM waits for nobody");
			}
			if (!waiters.isEmpty() && remote instanceof BackendState.Idle) {
				throw new Violation("nobody asks for " + waiters);
			}
			if (remote instanceof BackendState.Waiting waiting
					&& (waiting.requester() == null || this.recheckAt == Long.MAX_VALUE)) {
				throw new Violation("nothing ends the waiting of this JVM");
			}
			if (!(remote instanceof BackendState.Waiting) && this.recheckAt != Long.MAX_VALUE) {
				throw new Violation("a timer is left behind");
			}
			if (remote instanceof BackendState.Downgrading && this.downgrades.isEmpty()
					&& this.flights.stream()
						.noneMatch((flight) -> flight.command instanceof Effect.SendRelease release && !flight.failed
								&& release.command().intent() == Intent.DOWNGRADE)) {
				throw new Violation("nothing lets others in beside the one that wrote");
			}
			if (remote instanceof BackendState.Held held && held.tenure().isUnheld() && waiters.isEmpty()) {
				throw new Violation("the lock is on offer to nobody");
			}
			boolean mustNotTryOnce = remote instanceof BackendState.Held || remote instanceof BackendState.Waiting;
			if (mustNotTryOnce && waiters.stream().anyMatch((waiter) -> !waiter.waits())) {
				throw new Violation("one that tries once is left in the queue: " + waiters);
			}
			if (remote instanceof BackendState.Requesting asking && this.flights.stream()
				.noneMatch((flight) -> flight.command instanceof Effect.SendAcquire question
						&& question.command() == asking.command())) {
				throw new Violation("no question is under way: " + asking);
			}
		}

		private void checkRetired(LockMachine machine) {
			if (machine.waiting() > 0 || !machine.tenures().isEmpty()
					|| this.flights.stream()
						.anyMatch((flight) -> flight.sender == machine && !flight.failed
								&& (flight.command instanceof Effect.SendAcquire
										|| (flight.command instanceof Effect.SendRelease release
												&& release.command().intent() != Intent.DOWNGRADE)))) {
				throw new Violation(this.name + " retires with something left");
			}
		}

		/** Whoever leaves says so. */
		private void checkLeft() {
			if (!LockWalk.this.lossy && LockWalk.this.server.isWaiting(this.name)
					&& this.flights.stream().noneMatch((flight) -> !flight.executed)) {
				throw new Violation(this.name + " retires and is left among those who wait");
			}
		}

		boolean isAtRest() {
			return this.open.isEmpty() && this.entries.isEmpty() && this.flights.isEmpty() && this.messages.isEmpty()
					&& this.machine == null;
		}

		/** Do what is next, without faults. */
		void rest() {
			pass(TimeUnit.MILLISECONDS.toNanos(1));
			while (!this.flights.isEmpty()) {
				Flight flight = this.flights.get(0);
				if (!flight.executed) {
					execute(flight);
				}
				if (!flight.failed) {
					answer(flight);
				}
			}
			while (!this.messages.isEmpty()) {
				hear(this.messages.remove(0));
			}
			downgradeAgain();
			if (!this.entries.isEmpty()) {
				unlock(0);
			}
			for (Waiter waiter : List.copyOf(this.open)) {
				if (waiter.hasThread() && this.open.contains(waiter)) {
					step((machine) -> machine.takeOffer(waiter, now()));
				}
			}
			recheck(this.flights.isEmpty() && this.entries.isEmpty());
			if (this.machine != null) {
				tick();
			}
		}

		@Override
		public String toString() {
			return "%s (waiting %s, held %s, under way %s, %s)".formatted(this.name, this.open,
					this.entries.stream().map(Story::of).toList(),
					this.flights.stream().map((flight) -> Story.of(flight.command)).toList(),
					(this.machine != null) ? Story.of(this.machine.remote()) : "retired");
		}

	}

	private static <T> @Nullable T pick(Iterable<T> from, int number) {
		List<T> all = new ArrayList<>();
		from.forEach(all::add);
		return all.isEmpty() ? null : all.get(number % all.size());
	}

	private interface Event {

		void happens(LockMachine machine);

	}

	/**
	 * Tells effects and states in a few words.
	 */
	static final class Story {

		private Story() {
		}

		static String of(@Nullable Object thing) {
			if (thing instanceof Effect.SendAcquire question) {
				return of(question.command());
			}
			if (thing instanceof Acquire command) {
				return "acquire(%s %s of %d%s)".formatted(command.tenure(), command.type(), command.permits(),
						command.waits() ? ", registers" + (command.acceptsDirectGrant() ? "" : " without tenure") : "");
			}
			if (thing instanceof Effect.SendRelease release) {
				Acquire next = release.command().next();
				return "release(%s %s%s)".formatted(release.command().tenure(), release.command().intent(),
						(next != null) ? ", next " + of(next) : "");
			}
			if (thing instanceof Effect.Grant grant) {
				return "grant %s %s (%s)".formatted(grant.waiter(), of(grant.hold()), grant.kind());
			}
			if (thing instanceof Hold hold) {
				return "%s/%s#%d".formatted(hold.tenure(), hold.owner(), hold.token() % 1_000_000);
			}
			if (thing instanceof Effect.Released released) {
				return "released " + of(released.hold());
			}
			if (thing instanceof Effect.Unconfirmed released) {
				return "released, unconfirmed " + of(released.hold());
			}
			if (thing instanceof Effect.LossFoundByRelease lost) {
				return "found lost " + of(lost.hold());
			}
			if (thing instanceof Effect.Lost lost) {
				return "lost %s: %s".formatted(of(lost.hold()), lost.loss().reason());
			}
			if (thing instanceof Effect.ForgetLoss forgotten) {
				return "loss is told of " + of(forgotten.hold());
			}
			if (thing instanceof Effect.Fail failure) {
				return "fail %s: %s".formatted(failure.waiter(), failure.cause().getClass().getSimpleName());
			}
			if (thing instanceof Effect.StartRenewal start) {
				return "start renewal of " + start.tenure().id();
			}
			if (thing instanceof Effect.StopRenewal stop) {
				return "stop renewal of " + stop.tenure().id();
			}
			if (thing instanceof Effect.WriteCount count) {
				return "write count of " + count.tenure().id();
			}
			if (thing instanceof Effect.RetryDowngrade retry) {
				return "ask later to let others in beside " + retry.tenure().id();
			}
			if (thing instanceof BackendState.Held held) {
				return "held by " + held.tenure().id();
			}
			return String.valueOf(thing);
		}

	}

	static List<Step> steps(java.util.random.RandomGenerator random, int count) {
		Step[] steps = new Step[count];
		Arrays.setAll(steps, (i) -> new Step(random.nextInt(1 << 20), random.nextInt(1 << 20), random.nextInt(1 << 20),
				random.nextInt(1 << 20)));
		return List.of(steps);
	}

}
