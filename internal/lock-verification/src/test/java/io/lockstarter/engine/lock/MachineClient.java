package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.DirectGrant;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.wake.WakeMessageReader;
import io.lockstarter.redis.wake.WakeMessageReader.Hint;
import org.jspecify.annotations.Nullable;

/**
 * Instance of an application in a search: the actual {@link LockMachine} of one name with
 * an interpreter of its effects. The instance keeps the events of the machine, so that a
 * copy can apply the same events to its own machine.
 */
public final class MachineClient {

	/** Name of the lock. */
	public static final String NAME = "a";

	/** Lease of all requests, 1.5 s, which is long enough to be granted by a message. */
	public static final Duration LEASE = Duration.ofMillis(1500);

	/** Time for which a tenure may be handed over after its confirmation: 500 ms. */
	private static final Duration HANDOVER_AGE = Duration.ofMillis(500);

	/** Owners in each client. */
	private static final List<List<LockOwner>> OWNERS = Stream.of("a", "b", "c")
		.map((client) -> Stream.generate(() -> LockOwner.create(client)).limit(8).toList())
		.toList();

	/** Limit on the requests of a client that wait or hold the lock at a time. */
	private static final int MAX_ACTIVE_REQUESTS = 2;

	/** Advance of a client's clock with each of its events: 50 µs. */
	private static final long EVENT_NANOS = 50_000;

	private final Setup setup;

	private @Nullable History history;

	/** State after the events, or {@code null} until it is needed. */
	private @Nullable Life life;

	/** Whether a copy may use the same state. */
	private boolean shared;

	/**
	 * Creates an instance without events.
	 * @param mode the kind of requests: x exclusive, f fair, r readers, m exclusive and
	 * readers in turn, w likewise and all of one owner, 2 or 3 with that number of
	 * permits, g fair with two permits, s exclusive with releases that are only sent
	 * @param handovers the limit on hand-overs while others wait
	 */
	public MachineClient(int index, char mode, int handovers) {
		this(new Setup(index, Character.toString("abc".charAt(index)).repeat(32), mode, handovers), null, null);
	}

	private MachineClient(Setup setup, @Nullable History history, @Nullable Life life) {
		this.setup = setup;
		this.history = history;
		this.life = life;
		this.shared = life != null;
	}

	public MachineClient copy() {
		this.shared = true;
		return new MachineClient(this.setup, this.history, this.life);
	}

	/** Drops state that can be computed again. */
	public void dropState() {
		this.life = null;
	}

	public String id() {
		return this.setup.id();
	}

	/** Returns the keys of this client. */
	public LockKeys keys() {
		return this.setup.keys();
	}

	/** Returns a hash of the events, with a collision probability of one in 2^64. */
	public long fingerprint() {
		return (this.history != null) ? this.history.hash() : 0;
	}

	/**
	 * Applies an event.
	 * @param micros the elapsed time in microseconds
	 */
	public void apply(Move move, long micros) {
		Life current = this.life;
		if (current == null || this.shared) {
			current = replay();
		}
		this.history = new History(this.history, move, this.setup.moment(micros, events() + 1));
		this.history.apply(current);
	}

	private int events() {
		return (this.history != null) ? this.history.size() : 0;
	}

	private Life life() {
		return (this.life != null) ? this.life : replay();
	}

	private Life replay() {
		Life again = new Life(this.setup);
		Deque<History> events = new ArrayDeque<>();
		for (History event = this.history; event != null; event = event.before()) {
			events.push(event);
		}
		events.forEach((event) -> event.apply(again));
		again.commands.clear();
		again.tokens.clear();
		this.life = again;
		this.shared = false;
		return again;
	}

	/** Returns and removes the sent commands. */
	public List<Command> takeCommands() {
		return taken(life().commands);
	}

	/** Returns and removes the tokens of exclusive grants. */
	public List<Long> takeTokens() {
		return taken(life().tokens);
	}

	private static <T> List<T> taken(List<T> all) {
		List<T> taken = List.copyOf(all);
		all.clear();
		return taken;
	}

	/** Returns whether a command still waits for its reply. */
	public boolean awaits(int number) {
		return life().flights.containsKey(number);
	}

	/** Returns the numbers of the waiting requests. */
	public List<Integer> waiting() {
		return List.copyOf(life().waiters.keySet());
	}

	/** Returns the number of holds, including those that may be lost. */
	public int held() {
		return life().holds.size();
	}

	/**
	 * Returns whether an owner holds the lock, or a request may take it in this instance.
	 */
	public boolean holds() {
		return !life().holds.isEmpty() || life().isUnheld();
	}

	/** Returns the fault of the received messages, or an empty text. */
	public String fault() {
		return life().fault;
	}

	/**
	 * Returns the holders whose lease is valid.
	 * @param micros the elapsed time in microseconds
	 */
	public List<Holder> holders(long micros) {
		Moment now = this.setup.moment(micros, events());
		return life().holds.values()
			.stream()
			.map(Held::hold)
			.filter((hold) -> hold.isValid(now))
			.map((hold) -> new Holder(this.setup.index(), hold.owner(), Exclusivity.of(hold.request()),
					hold.request().permits()))
			.toList();
	}

	/**
	 * Returns the possible next events.
	 * @param requests the limit on requests
	 * @param selfChecks the limit on renewals and rechecks
	 */
	public List<Move> moves(int requests, int selfChecks) {
		Life current = life();
		List<Move> moves = new ArrayList<>();
		if (current.requests < requests && current.waiters.size() + current.holds.size() < MAX_ACTIVE_REQUESTS) {
			moves.add(move("begins", Life::request));
		}
		current.waiters.keySet().forEach((number) -> moves.add(move("leaves " + number, (life) -> life.leave(number))));
		addWork(moves, current);
		if (current.selfChecks < selfChecks) {
			current.renewable().forEach((tenure) -> {
				moves.add(move("renews " + tenure.sequence(), (life) -> life.renew(tenure, false)));
				moves.add(move("extends " + tenure.sequence(), (life) -> life.renew(tenure, true)));
			});
			if (current.recheckAt < Long.MAX_VALUE) {
				moves.add(move("rechecks", Life::recheck));
			}
		}
		return moves;
	}

	/** Adds the pending actions of users and timers. */
	private void addWork(List<Move> moves, Life current) {
		current.holds.keySet()
			.forEach((number) -> moves.add(move("releases " + number, (life) -> life.unlock(number))));
		if (current.isUnheld()) {
			moves.add(move("takes the unheld lock", Life::takeOffer));
		}
		if (!current.downgrades.isEmpty()) {
			moves.add(move("repeats the downgrade", Life::downgradeAgain));
		}
	}

	/** Returns the possible timeouts of commands. */
	public List<Move> giveUps() {
		return life().flights.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().mayFail())
			.map((entry) -> move("gives up " + entry.getKey(), (life) -> life.giveUp(entry.getKey())))
			.toList();
	}

	/**
	 * Returns the due events without messages: all holders release, and waiting requests
	 * recheck.
	 * @param micros the elapsed time in microseconds
	 */
	public List<Move> due(long micros) {
		Life current = life();
		List<Move> moves = new ArrayList<>();
		addWork(moves, current);
		if (moves.isEmpty() && current.recheckAt <= this.setup.moment(micros, events()).nanos()) {
			moves.add(move("rechecks", Life::recheck));
		}
		return moves;
	}

	/** Returns the loss of all messages, after which cancellations are repeated. */
	public Move lose() {
		return move("loses all messages", (life) -> {
			List.copyOf(life.flights.keySet()).forEach(life::lose);
		});
	}

	/** Returns the arrival of a reply. */
	public Move response(int number, Object reply) {
		return move("gets %d: %s".formatted(number, reply), (life) -> life.replied(number, reply));
	}

	/** Returns the arrival of a message. */
	public Move message(String text) {
		Object meaning = read(text);
		return move("receives " + text, (life) -> life.receive(meaning));
	}

	/** Returns the meaning of a message for this client by {@link WakeMessageReader}. */
	public Object read(String text) {
		return WakeMessageReader.read(this.setup.keys(), this.setup::id, text);
	}

	/** Returns the passing of time. */
	public Move tick() {
		return move("notices the time", (life) -> life.step((machine) -> machine.tick(life.now)));
	}

	private Move move(String text, Consumer<Life> action) {
		return new Move(this.setup.index() + " " + text, action);
	}

	/**
	 * Possible event of a client.
	 */
	public static final class Move {

		private final String text;

		private final Consumer<Life> action;

		private Move(String text, Consumer<Life> action) {
			this.text = text;
			this.action = action;
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	/**
	 * Command in flight.
	 *
	 * @param number the number of the command in its client
	 * @param content the command
	 */
	public record Command(int number, Object content) {
	}

	/**
	 * Holder with a valid lease.
	 *
	 * @param client the client
	 * @param owner the owner
	 * @param mode the exclusivity of the hold
	 * @param permits the number of permits
	 */
	public record Holder(int client, LockOwner owner, Exclusivity mode, int permits) {

		/** Returns whether the holders exclude each other. */
		public boolean excludes(Holder other) {
			return (this.mode == Exclusivity.EXCLUSIVE || other.mode == Exclusivity.EXCLUSIVE)
					&& !this.owner.equals(other.owner);
		}

	}

	/**
	 * Immutable settings.
	 */
	private record Setup(int index, String id, char mode, int handovers, LockKeys keys) {

		Setup(int index, String id, char mode, int handovers) {
			this(index, id, mode, handovers, new LockKeys("lock:", () -> id));
		}

		/**
		 * Returns the time of this client's clocks. The clock of the first client is slow
		 * by nearly the safety margin of leases.
		 */
		Moment moment(long micros, int events) {
			long nanos = micros * ((this.index == 0) ? 992 : 1000) + events * EVENT_NANOS;
			return new Moment(nanos, nanos / 1_000_000);
		}

		LockRequest request(int number) {
			LockType type = switch (this.mode) {
				case 'f', 'g' -> LockType.FAIR;
				case 'r' -> LockType.READ;
				case 'w', 'm' -> (number % 2 == 1) ? LockType.WRITE : LockType.READ;
				default -> LockType.REENTRANT;
			};
			int permits = switch (this.mode) {
				case '2', 'g' -> 2;
				case '3' -> 3;
				default -> 1;
			};
			return LockRequest.of(NAME).type(type).permits(permits).waitTime(LockRequest.FOREVER);
		}

		boolean sendsReleases() {
			return this.mode == 's';
		}

		LockOwner owner(int number) {
			return OWNERS.get(this.index).get((this.mode == 'w') ? 0 : number % 8);
		}

		/** Returns whether requests have threads. */
		boolean hasThreads() {
			return this.index % 2 == 0;
		}

	}

	/**
	 * Event with those before it.
	 */
	private record History(@Nullable History before, Move move, Moment now, int size, long hash) {

		History(@Nullable History before, Move move, Moment now) {
			this(before, move, now, (before != null) ? before.size + 1 : 1,
					hash((before != null) ? before.hash : 0, move.text + now.nanos()));
		}

		private static long hash(long before, String text) {
			long hash = before;
			for (int i = 0; i < text.length(); i++) {
				hash = (hash + text.charAt(i) + 1) * 0x9E3779B97F4A7C15L;
				hash ^= hash >>> 29;
			}
			return hash;
		}

		void apply(Life life) {
			life.now = this.now;
			this.move.action.accept(life);
		}

	}

	/**
	 * Hold with its machine.
	 */
	private record Held(Hold hold, LockMachine machine) {
	}

	/**
	 * Renewal in flight.
	 */
	private record Renewal(Tenure tenure, boolean longer, Duration lease) {
	}

	/**
	 * Command without a reply.
	 *
	 * @param content the effect, or the renewal
	 * @param sender the machine that receives the reply
	 * @param sentAt the moment before it was sent
	 */
	private record Flight(Object content, @Nullable LockMachine sender, Moment sentAt) {

		boolean mayFail() {
			return this.content instanceof Effect.SendAcquire || this.content instanceof Effect.SendRelease;
		}

	}

	/**
	 * State after the events.
	 */
	private static final class Life {

		private final Setup setup;

		private Moment now = new Moment(0, 0);

		private @Nullable LockMachine machine;

		private final Map<Integer, Waiter> waiters = new TreeMap<>();

		private final Map<Integer, Held> holds = new TreeMap<>();

		private final Map<Integer, Flight> flights = new TreeMap<>();

		private final List<Tenure> downgrades = new ArrayList<>();

		private final List<Command> commands = new ArrayList<>();

		private final List<Long> tokens = new ArrayList<>();

		private long recheckAt = Long.MAX_VALUE;

		private long tenures;

		private int requests;

		private int grants;

		private int sent;

		private int selfChecks;

		private String fault = "";

		Life(Setup setup) {
			this.setup = setup;
		}

		private TenureId nextTenure() {
			return new TenureId(this.setup.id(), ++this.tenures);
		}

		void request() {
			int number = ++this.requests;
			Waiter waiter = new MachineWaiter(Integer.toString(number), this.setup.request(number),
					this.setup.owner(number), LEASE, this.setup.hasThreads(), this.now);
			this.waiters.put(number, waiter);
			if (this.machine == null) {
				MachineSettings settings = new MachineSettings(this.setup.id().substring(0, 1), this.setup.handovers(),
						HANDOVER_AGE, LEASE, true, this.setup.sendsReleases());
				this.machine = new LockMachine(null, settings, this::nextTenure);
			}
			step(this.machine, waiter, (machine) -> machine.request(waiter, null, this.now));
		}

		void leave(int number) {
			Waiter waiter = this.waiters.remove(number);
			step((machine) -> machine.withdraw(waiter, this.now));
		}

		boolean isUnheld() {
			return this.machine != null && this.machine.remote() instanceof BackendState.Held held
					&& held.tenure().isUnheld();
		}

		void takeOffer() {
			step((machine) -> machine.takeOffer(machine.waiters().get(0), this.now));
		}

		void unlock(int number) {
			Held held = this.holds.remove(number);
			// The lock may be lost, and this machine may have retired
			step(held.machine(), null, (machine) -> machine.unlock(held.hold(), null, this.now));
		}

		/** Returns the tenures without a renewal in flight. */
		List<TenureId> renewable() {
			return (this.machine == null) ? List.of() : this.machine.tenures()
				.stream()
				.filter((tenure) -> this.flights.values()
					.stream()
					.noneMatch((flight) -> flight.content() instanceof Renewal renewal && renewal.tenure() == tenure))
				.map(Tenure::id)
				.toList();
		}

		void renew(TenureId id, boolean longer) {
			this.selfChecks++;
			LockMachine current = this.machine;
			for (Tenure tenure : current.tenures()) {
				if (tenure.id().equals(id)) {
					Duration lease = longer ? LEASE.multipliedBy(2) : LEASE;
					send(new Renewal(tenure, longer, lease), tenure.renewal(lease), current);
				}
			}
		}

		void recheck() {
			this.selfChecks++;
			this.recheckAt = Long.MAX_VALUE;
			step((machine) -> machine.recheck(this.now));
		}

		void downgradeAgain() {
			Tenure written = this.downgrades.remove(0);
			step((machine) -> machine.downgradeAgain(written, this.now));
		}

		void replied(int number, Object reply) {
			Flight flight = this.flights.remove(number);
			LockMachine sender = flight.sender();
			if (flight.content() instanceof Effect.SendAcquire acquire) {
				step(sender, null,
						(machine) -> machine.replied(acquire, (AcquireReply) reply, flight.sentAt(), this.now));
			}
			else if (flight.content() instanceof Effect.SendRelease release) {
				step(sender, null,
						(machine) -> machine.released(release, (Release.Reply) reply, null, flight.sentAt(), this.now));
			}
			else if (flight.content() instanceof Renewal renewal) {
				renewed(renewal, ((RenewalReply) reply).held(), flight.sentAt());
			}
			else {
				// The client is no longer in the queue
				step((machine) -> machine.withdrawn(this.now));
			}
		}

		/** Handles a message like the table of locks. */
		void receive(Object meaning) {
			if (meaning instanceof DirectGrant grant) {
				if (this.machine == null) {
					perform(new Effect.Leave(grant.tenure(), false), null);
				}
				step((machine) -> machine.granted(grant, this.now));
			}
			else if (meaning == Hint.WAKE) {
				if (this.machine == null) {
					perform(new Effect.Leave(null, true), null);
				}
				step((machine) -> machine.woken(this.now));
			}
			else {
				step((machine) -> machine.contended(this.now));
			}
		}

		private void renewed(Renewal renewal, boolean held, Moment sentAt) {
			Tenure tenure = renewal.tenure();
			Lease lease = Lease.of(sentAt, renewal.lease());
			if (tenure.lease().hasEnded()) {
				if (held && renewal.longer()) {
					perform(new Effect.CancelUntilConfirmed(tenure.id(), renewal.lease()), null);
				}
			}
			else if (!held) {
				step((machine) -> machine.ended(tenure, LockLoss.Reason.NOT_OWNED, this.now));
			}
			else if (renewal.longer()) {
				tenure.lease().extend(lease, this.now);
			}
			else {
				tenure.lease().confirm(lease, this.now);
			}
		}

		void giveUp(int number) {
			Flight flight = this.flights.remove(number);
			LockBackendException failure = new LockBackendException(NAME, Reason.TIMEOUT, "lost", true, null);
			if (flight.content() instanceof Effect.SendAcquire) {
				step(flight.sender(), null, (machine) -> machine.failed(true, failure, this.now));
			}
			else if (flight.content() instanceof Effect.SendRelease release) {
				step(flight.sender(), null,
						(machine) -> machine.released(release, null, failure, flight.sentAt(), this.now));
			}
		}

		void lose(int number) {
			Flight flight = this.flights.get(number);
			giveUp(number);
			if (flight.content() instanceof Effect.CancelUntilConfirmed end) {
				perform(end, flight.sender());
			}
		}

		/** Applies an event to the current machine, if there is one. */
		void step(Consumer<LockMachine> event) {
			if (this.machine != null) {
				step(this.machine, null, event);
			}
		}

		private void step(LockMachine machine, @Nullable Waiter entering, Consumer<LockMachine> event) {
			machine.subscribed(machine.needsSubscription(entering));
			event.accept(machine);
			machine.takeEffects().forEach((effect) -> perform(effect, machine));
		}

		private void perform(Effect effect, @Nullable LockMachine machine) {
			if (effect instanceof Effect.SendAcquire acquire) {
				send(acquire, acquire.command(), machine);
			}
			else if (effect instanceof Effect.SendRelease release) {
				send(release, release.command(), machine);
			}
			else if (effect instanceof Effect.CancelUntilConfirmed end) {
				send(end, new Release(NAME, end.tenure(), Intent.LEAVE, null), machine);
			}
			else if (effect instanceof Effect.Leave leave) {
				TenureId tenure = leave.tenure();
				send(leave, new Release(NAME, (tenure != null) ? tenure : new TenureId(this.setup.id(), 0),
						Intent.LEAVE, null, leave.replied()), machine);
			}
			else if (effect instanceof Effect.Grant grant) {
				granted(grant, machine);
				complete(grant.waiter());
			}
			else if (effect instanceof Effect.Refuse refusal) {
				complete(refusal.waiter());
			}
			else if (effect instanceof Effect.Fail failure) {
				complete(failure.waiter());
			}
			else if (effect instanceof Effect.Recheck again) {
				this.recheckAt = this.now.nanos() + Math.min(again.nanos(), again.longestNanos());
			}
			else if (effect instanceof Effect.StopRecheck) {
				this.recheckAt = Long.MAX_VALUE;
			}
			else if (effect instanceof Effect.RetryDowngrade retry) {
				this.downgrades.add(retry.tenure());
			}
			else if (effect instanceof Effect.LossFoundByRelease lost) {
				this.fault = "%s was found lost".formatted(lost.hold().tenure());
			}
			else if (effect instanceof Effect.Retire && this.machine == machine) {
				this.machine = null;
			}
		}

		private void send(Object content, Object command, @Nullable LockMachine machine) {
			int number = ++this.sent;
			this.flights.put(number, new Flight(content, machine, this.now));
			this.commands.add(new Command(number, command));
		}

		private void granted(Effect.Grant grant, LockMachine machine) {
			Hold hold = grant.hold();
			this.holds.put(++this.grants, new Held(hold, machine));
			if (grant.kind() != GrantKind.REENTERED && Exclusivity.of(hold.request()) == Exclusivity.EXCLUSIVE) {
				this.tokens.add(hold.token());
			}
		}

		private void complete(Waiter waiter) {
			this.waiters.values().remove(waiter);
		}

	}

}
