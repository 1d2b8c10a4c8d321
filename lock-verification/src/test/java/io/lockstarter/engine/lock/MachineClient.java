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
 * One instance of an application, which a search drives: the real {@link LockMachine} for
 * one name, and what carries out its effects. It keeps the events of the machine. A copy
 * that goes another way has the same events happen to a machine of its own.
 */
public final class MachineClient {

	/** The name of the lock. */
	public static final String NAME = "a";

	/** The lease of all requests, which is long enough to be granted by a message. */
	public static final Duration LEASE = Duration.ofMillis(1500);

	/** How long after its confirmation a tenure may be handed over. */
	private static final Duration HANDOVER_AGE = Duration.ofMillis(500);

	/** Who asks, in each client. */
	private static final List<List<LockOwner>> OWNERS = Stream.of("a", "b", "c")
		.map((client) -> Stream.generate(() -> LockOwner.create(client)).limit(8).toList())
		.toList();

	/** How many requests a client has at once that wait or hold the lock. */
	private static final int AT_ONCE = 2;

	/** How much a client's clock advances with each of its events. */
	private static final long EVENT_NANOS = 50_000;

	private final Setup setup;

	private @Nullable History history;

	/** What has come of the events; {@code null} until it is needed. */
	private @Nullable Life life;

	/** Whether a copy may look at the same. */
	private boolean shared;

	/**
	 * Begins without anything.
	 * @param mode how its requests are: x exclusive, f fair, r readers, m exclusive and
	 * readers in turn, w likewise and all of one owner, 2 or 3 with so many permits, g
	 * fair with two permits, s exclusive with releases that are only sent
	 * @param handovers how many hand-overs others wait for
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

	/** Keeps only what it takes to go on. */
	public void rest() {
		this.life = null;
	}

	public String id() {
		return this.setup.id();
	}

	/** The keys as this client knows them. */
	public LockKeys keys() {
		return this.setup.keys();
	}

	/** Tells its events from all others, but for a chance of one in 2^64. */
	public long fingerprint() {
		return (this.history != null) ? this.history.hash() : 0;
	}

	/**
	 * Lets an event happen.
	 * @param micros how much time has passed
	 */
	public void make(Move move, long micros) {
		Life current = this.life;
		if (current == null || this.shared) {
			current = liveAgain();
		}
		this.history = new History(this.history, move, this.setup.moment(micros, events() + 1));
		this.history.happen(current);
	}

	private int events() {
		return (this.history != null) ? this.history.size() : 0;
	}

	private Life life() {
		return (this.life != null) ? this.life : liveAgain();
	}

	private Life liveAgain() {
		Life again = new Life(this.setup);
		Deque<History> events = new ArrayDeque<>();
		for (History event = this.history; event != null; event = event.before()) {
			events.push(event);
		}
		events.forEach((event) -> event.happen(again));
		again.commands.clear();
		again.tokens.clear();
		this.life = again;
		this.shared = false;
		return again;
	}

	/** Takes the commands that it has sent since the last time. */
	public List<Command> takeCommands() {
		return taken(life().commands);
	}

	/** Takes the tokens that it has given since the last time to those who exclude all. */
	public List<Long> takeTokens() {
		return taken(life().tokens);
	}

	private static <T> List<T> taken(List<T> all) {
		List<T> taken = List.copyOf(all);
		all.clear();
		return taken;
	}

	/** Whether an answer to a command means anything yet. */
	public boolean awaits(int number) {
		return life().flights.containsKey(number);
	}

	/** The numbers of the requests that wait. */
	public List<Integer> waiting() {
		return List.copyOf(life().waiters.keySet());
	}

	/** How many have the lock, or believe so. */
	public int held() {
		return life().holds.size();
	}

	/** Whether somebody has the lock, or believes so, or may take it here. */
	public boolean holds() {
		return !life().holds.isEmpty() || life().isOnOffer();
	}

	/** What is wrong with what it was told; empty if nothing is. */
	public String fault() {
		return life().fault;
	}

	/**
	 * Those who rely on having the lock.
	 * @param micros how much time has passed
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
	 * What may happen in it next.
	 * @param requests how many requests it may make
	 * @param looks how often it may look by itself, or renew a lease
	 */
	public List<Move> moves(int requests, int looks) {
		Life current = life();
		List<Move> moves = new ArrayList<>();
		if (current.requests < requests && current.waiters.size() + current.holds.size() < AT_ONCE) {
			moves.add(move("begins", Life::request));
		}
		current.waiters.keySet().forEach((number) -> moves.add(move("leaves " + number, (life) -> life.leave(number))));
		addWork(moves, current);
		if (current.looks < looks) {
			current.renewable().forEach((tenure) -> {
				moves.add(move("renews " + tenure.sequence(), (life) -> life.renew(tenure, false)));
				moves.add(move("extends " + tenure.sequence(), (life) -> life.renew(tenure, true)));
			});
			if (current.recheckAt < Long.MAX_VALUE) {
				moves.add(move("looks by itself", Life::recheck));
			}
		}
		return moves;
	}

	/** What its users and timers are to do. */
	private void addWork(List<Move> moves, Life current) {
		current.holds.keySet()
			.forEach((number) -> moves.add(move("releases " + number, (life) -> life.unlock(number))));
		if (current.isOnOffer()) {
			moves.add(move("takes what is on offer", Life::takeOffer));
		}
		if (!current.downgrades.isEmpty()) {
			moves.add(move("asks again to let others in", Life::downgradeAgain));
		}
	}

	/** How it may give up to wait for an answer. */
	public List<Move> giveUps() {
		return life().flights.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().mayFail())
			.map((entry) -> move("gives up " + entry.getKey(), (life) -> life.giveUp(entry.getKey())))
			.toList();
	}

	/**
	 * What is due when nothing comes from outside: all who have the lock release it, and
	 * those who wait look by themselves.
	 * @param micros how much time has passed
	 */
	public List<Move> due(long micros) {
		Life current = life();
		List<Move> moves = new ArrayList<>();
		addWork(moves, current);
		if (moves.isEmpty() && current.recheckAt <= this.setup.moment(micros, events()).nanos()) {
			moves.add(move("looks by itself", Life::recheck));
		}
		return moves;
	}

	/** All that was on its way is lost. Who must be sure of an end sends it again. */
	public Move lose() {
		return move("loses all messages", (life) -> {
			List.copyOf(life.flights.keySet()).forEach(life::lose);
		});
	}

	/** A command has been answered. */
	public Move answer(int number, Object reply) {
		return move("gets %d: %s".formatted(number, reply), (life) -> life.answered(number, reply));
	}

	/** A message has come. */
	public Move message(String text) {
		Object meaning = read(text);
		return move("hears " + text, (life) -> life.hear(meaning));
	}

	/** What a message for this client means, as {@link WakeMessageReader} tells. */
	public Object read(String text) {
		return WakeMessageReader.read(this.setup.keys(), this.setup::id, text);
	}

	/** It notices that time has passed. */
	public Move tick() {
		return move("notices the time", (life) -> life.step((machine) -> machine.tick(life.now)));
	}

	private Move move(String text, Consumer<Life> action) {
		return new Move(this.setup.index() + " " + text, action);
	}

	/**
	 * Something that may happen in a client.
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
	 * A command on its way.
	 *
	 * @param number tells it from the others of its client
	 * @param content the command
	 */
	public record Command(int number, Object content) {
	}

	/**
	 * One who relies on having the lock.
	 *
	 * @param client the client
	 * @param owner the owner
	 * @param mode whom it does not mind beside it
	 * @param permits how many may have the lock at a time
	 */
	public record Holder(int client, LockOwner owner, Exclusivity mode, int permits) {

		/** Whether both cannot have the lock at once. */
		public boolean excludes(Holder other) {
			return (this.mode == Exclusivity.EXCLUSIVE || other.mode == Exclusivity.EXCLUSIVE)
					&& !this.owner.equals(other.owner);
		}

	}

	/**
	 * What does not change.
	 */
	private record Setup(int index, String id, char mode, int handovers, LockKeys keys) {

		Setup(int index, String id, char mode, int handovers) {
			this(index, id, mode, handovers, new LockKeys("lock:", () -> id));
		}

		/**
		 * What the clocks of this client show. That of the first one is slow, by nearly
		 * as much as leases allow for.
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

		/** With threads, or without. */
		boolean hasThreads() {
			return this.index % 2 == 0;
		}

	}

	/**
	 * An event, and those before.
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

		void happen(Life life) {
			life.now = this.now;
			this.move.action.accept(life);
		}

	}

	/**
	 * A hold, and the machine that knows it.
	 */
	private record Held(Hold hold, LockMachine machine) {
	}

	/**
	 * A renewal on its way.
	 */
	private record Renewal(Tenure tenure, boolean longer, Duration lease) {
	}

	/**
	 * A command that has not been answered.
	 *
	 * @param what the effect, or the renewal
	 * @param sender the machine that is told the answer
	 * @param sentAt the moment before it was sent
	 */
	private record Flight(Object what, @Nullable LockMachine sender, Moment sentAt) {

		boolean mayFail() {
			return this.what instanceof Effect.SendAcquire || this.what instanceof Effect.SendRelease;
		}

	}

	/**
	 * What the events have led to.
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

		private int looks;

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
				MachineSettings terms = new MachineSettings(this.setup.id().substring(0, 1), this.setup.handovers(),
						HANDOVER_AGE, LEASE, true, this.setup.sendsReleases());
				this.machine = new LockMachine(null, terms, this::nextTenure);
			}
			step(this.machine, waiter, (machine) -> machine.request(waiter, null, this.now));
		}

		void leave(int number) {
			Waiter waiter = this.waiters.remove(number);
			step((machine) -> machine.withdraw(waiter, this.now));
		}

		boolean isOnOffer() {
			return this.machine != null && this.machine.remote() instanceof BackendState.Held held
					&& held.tenure().isUnheld();
		}

		void takeOffer() {
			step((machine) -> machine.takeOffer(machine.waiters().get(0), this.now));
		}

		void unlock(int number) {
			Held held = this.holds.remove(number);
			// Perhaps the lock was lost, and this machine has retired.
			step(held.machine(), null, (machine) -> machine.unlock(held.hold(), null, this.now));
		}

		/** The tenures that are renewed, and of which no renewal is under way. */
		List<TenureId> renewable() {
			return (this.machine == null) ? List.of() : this.machine.tenures()
				.stream()
				.filter((tenure) -> this.flights.values()
					.stream()
					.noneMatch((flight) -> flight.what() instanceof Renewal renewal && renewal.tenure() == tenure))
				.map(Tenure::id)
				.toList();
		}

		void renew(TenureId id, boolean longer) {
			this.looks++;
			LockMachine current = this.machine;
			for (Tenure tenure : current.tenures()) {
				if (tenure.id().equals(id)) {
					Duration lease = longer ? LEASE.multipliedBy(2) : LEASE;
					send(new Renewal(tenure, longer, lease), tenure.renewal(lease), current);
				}
			}
		}

		void recheck() {
			this.looks++;
			this.recheckAt = Long.MAX_VALUE;
			step((machine) -> machine.recheck(this.now));
		}

		void downgradeAgain() {
			Tenure written = this.downgrades.remove(0);
			step((machine) -> machine.downgradeAgain(written, this.now));
		}

		void answered(int number, Object reply) {
			Flight flight = this.flights.remove(number);
			LockMachine sender = flight.sender();
			if (flight.what() instanceof Effect.SendAcquire question) {
				step(sender, null,
						(machine) -> machine.replied(question, (AcquireReply) reply, flight.sentAt(), this.now));
			}
			else if (flight.what() instanceof Effect.SendRelease release) {
				step(sender, null,
						(machine) -> machine.released(release, (Release.Reply) reply, null, flight.sentAt(), this.now));
			}
			else if (flight.what() instanceof Renewal renewal) {
				renewed(renewal, ((RenewalReply) reply).held(), flight.sentAt());
			}
			else {
				// It is no longer among those who wait.
				step((machine) -> machine.withdrawn(this.now));
			}
		}

		/** What the table of locks does with a message. */
		void hear(Object meaning) {
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
			if (flight.what() instanceof Effect.SendAcquire) {
				step(flight.sender(), null, (machine) -> machine.failed(true, failure, this.now));
			}
			else if (flight.what() instanceof Effect.SendRelease release) {
				step(flight.sender(), null,
						(machine) -> machine.released(release, null, failure, flight.sentAt(), this.now));
			}
		}

		void lose(int number) {
			Flight flight = this.flights.get(number);
			giveUp(number);
			if (flight.what() instanceof Effect.CancelUntilConfirmed end) {
				perform(end, flight.sender());
			}
		}

		/** Lets something happen to the present machine, if there is one. */
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
			if (effect instanceof Effect.SendAcquire question) {
				send(question, question.command(), machine);
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
				settled(grant.waiter());
			}
			else if (effect instanceof Effect.Refuse refusal) {
				settled(refusal.waiter());
			}
			else if (effect instanceof Effect.Fail failure) {
				settled(failure.waiter());
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
			else if (effect instanceof Effect.FoundLost lost) {
				this.fault = "%s was found lost".formatted(lost.hold().tenure());
			}
			else if (effect instanceof Effect.Retire && this.machine == machine) {
				this.machine = null;
			}
		}

		private void send(Object what, Object command, @Nullable LockMachine machine) {
			int number = ++this.sent;
			this.flights.put(number, new Flight(what, machine, this.now));
			this.commands.add(new Command(number, command));
		}

		private void granted(Effect.Grant grant, LockMachine machine) {
			Hold hold = grant.hold();
			this.holds.put(++this.grants, new Held(hold, machine));
			if (grant.kind() != GrantKind.REENTERED && Exclusivity.of(hold.request()) == Exclusivity.EXCLUSIVE) {
				this.tokens.add(hold.token());
			}
		}

		private void settled(Waiter waiter) {
			this.waiters.values().remove(waiter);
		}

	}

}
