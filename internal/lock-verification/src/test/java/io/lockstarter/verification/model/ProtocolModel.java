package io.lockstarter.verification.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.engine.lock.MachineClient;
import io.lockstarter.engine.lock.MachineClient.Move;
import io.lockstarter.verification.model.Message.Copy;
import org.jspecify.annotations.Nullable;

/**
 * Model of the protocol: a server that runs the scripts, clients with the actual state
 * machine that repeatedly acquire one lock, and a network that delivers messages at any
 * time, in any order, twice, or never.
 */
final class ProtocolModel {

	private static final long START_MICROS = 1_700_000_000_000_000L;

	/** Duration of a tick, 501 ms. Three ticks are slightly longer than a lease. */
	private static final int TICK_MICROS = 501_000;

	/**
	 * Limit on rounds of rechecks until a waiter counts as waiting forever.
	 */
	private static final int ROUNDS = 48;

	/** Limit on actions of a client in each round. */
	private static final int DUE_AT_ONCE = 6;

	private final Scenario scenario;

	private final Variant variant;

	private final Server server;

	private final MachineClient[] clients;

	private final Set<Integer> dead = new TreeSet<>();

	private final List<Message> network = new ArrayList<>();

	private int tick;

	private int copies;

	private int losses;

	private int floods;

	private long lastToken;

	private String fault = "";

	private @Nullable Story story;

	ProtocolModel(Scenario scenario, Variant variant) {
		this.scenario = scenario;
		this.variant = variant;
		this.server = new Server(variant);
		this.clients = new MachineClient[scenario.clients()];
		for (int i = 0; i < this.clients.length; i++) {
			this.clients[i] = new MachineClient(i, scenario.modes().charAt(i), scenario.handovers());
			this.server.subscribe(this.clients[i]);
		}
		setClock();
	}

	private ProtocolModel(ProtocolModel other) {
		this.scenario = other.scenario;
		this.variant = other.variant;
		this.server = other.server.copy();
		this.clients = new MachineClient[other.clients.length];
		Arrays.setAll(this.clients, (i) -> other.clients[i].copy());
		this.dead.addAll(other.dead);
		this.network.addAll(other.network);
		this.tick = other.tick;
		this.copies = other.copies;
		this.losses = other.losses;
		this.floods = other.floods;
		this.lastToken = other.lastToken;
		this.story = other.story;
	}

	ProtocolModel copy() {
		return new ProtocolModel(this);
	}

	/** Drops state that can be computed again. */
	void dropState() {
		for (MachineClient client : this.clients) {
			client.dropState();
		}
	}

	/** Returns the fault of this state, or an empty text. */
	String fault() {
		return this.fault;
	}

	/** Returns the planted mistake and the bounds of this model. */
	String setting() {
		return this.variant + ", " + this.scenario;
	}

	/** Returns the steps that led to this state. */
	String story() {
		List<String> steps = new ArrayList<>();
		for (Story last = this.story; last != null; last = last.before()) {
			steps.add(0, "\n  " + last.step());
		}
		return String.join("", steps);
	}

	/** Returns a hash of this state, with a collision probability of one in 2^64. */
	long fingerprint() {
		List<String> messages = new ArrayList<>();
		this.network.forEach((message) -> messages.add(message.mark()));
		messages.sort(null);
		String text = this.server.toString() + messages + this.dead + this.tick + ',' + this.copies + ',' + this.losses
				+ ',' + this.floods;
		long hash = 0;
		for (int i = 0; i < text.length(); i++) {
			hash = mixed(hash + text.charAt(i) + 1);
		}
		for (MachineClient client : this.clients) {
			hash = mixed(hash + client.fingerprint());
		}
		return hash;
	}

	private static long mixed(long hash) {
		long product = hash * 0x9E3779B97F4A7C15L;
		return product ^ (product >>> 29);
	}

	/** Returns all possible next steps. */
	List<Step> steps() {
		List<Step> steps = new ArrayList<>();
		for (int i = 0; i < this.clients.length; i++) {
			if (!this.dead.contains(i)) {
				addClientSteps(i, steps);
			}
		}
		for (Message message : deliverable()) {
			if (message instanceof Message.Request request) {
				steps.add(new Step("the server gets ", request, (next) -> next.execute(request)));
				if (this.copies < this.scenario.copies() && request.copy() == Copy.ONLY) {
					steps.add(new Step("is sent again: ", request, (next) -> next.repeat(request)));
				}
			}
			else {
				steps.add(new Step("a client gets ", message, (next) -> next.arrive(message)));
			}
		}
		if (this.tick < this.scenario.ticks()) {
			steps.add(new Step("time passes", "", ProtocolModel::tick));
		}
		if (this.floods < this.scenario.floods()) {
			steps.add(new Step("the server loses its data", "", ProtocolModel::flood));
		}
		return steps;
	}

	private void addClientSteps(int index, List<Step> steps) {
		MachineClient client = this.clients[index];
		for (Move move : client.moves(this.scenario.requests(), this.scenario.selfChecks())) {
			steps.add(new Step("", move, (next) -> next.make(index, move)));
		}
		if (this.losses < this.scenario.losses()) {
			for (Move move : client.giveUps()) {
				steps.add(new Step("", move, (next) -> next.giveUp(index, move)));
			}
		}
		if (this.dead.size() < this.scenario.deaths() && client.fingerprint() != 0) {
			steps.add(new Step(index + " dies", "", (next) -> next.die(index, true)));
			steps.add(new Step(index + " hangs forever", "", (next) -> next.die(index, false)));
		}
	}

	/**
	 * Returns the messages that may arrive: all of them, or in calm weather the first of
	 * each connection.
	 */
	private Set<Message> deliverable() {
		if (!this.scenario.isCalm()) {
			return new LinkedHashSet<>(this.network);
		}
		Set<Message> first = new LinkedHashSet<>();
		Set<String> connections = new HashSet<>();
		for (Message message : this.network) {
			if (message instanceof Message.Push || connections.add(message.getClass() + " " + message.client())) {
				first.add(message);
			}
		}
		return first;
	}

	/** Takes a step. */
	void take(Step step) {
		this.story = new Story(this.story, step);
		step.change().accept(this);
		check();
	}

	private void check() {
		if (this.fault.isEmpty()) {
			this.fault = this.server.fault();
		}
		if (this.fault.isEmpty() && !this.server.isForgetful()) {
			checkHolders();
		}
		if (this.fault.isEmpty() && this.scenario.isCalm()) {
			checkNoWaiterIsForgotten();
		}
	}

	private void checkHolders() {
		List<MachineClient.Holder> holders = new ArrayList<>();
		for (int i = 0; i < this.clients.length; i++) {
			if (!this.dead.contains(i)) {
				holders.addAll(this.clients[i].holders(elapsedMicros()));
				if (!this.clients[i].fault().isEmpty()) {
					this.fault = this.clients[i].fault();
				}
			}
		}
		for (MachineClient.Holder one : holders) {
			for (MachineClient.Holder other : holders) {
				if (one.excludes(other)) {
					this.fault = "%d and %d hold the lock at once".formatted(one.client(), other.client());
				}
			}
		}
		long permits = holders.stream().filter((holder) -> holder.permits() > 1).count();
		if (permits > holders.stream().mapToInt(MachineClient.Holder::permits).max().orElse(0)) {
			this.fault = "%d have a permit: %s".formatted(permits, holders);
		}
	}

	/**
	 * Reports a fault if a request waits although no message is in flight, and although
	 * the lock, or a permit, is free.
	 */
	private void checkNoWaiterIsForgotten() {
		int held = Arrays.stream(this.clients).mapToInt(MachineClient::held).sum();
		boolean isFull = (this.scenario.permits() > 1) ? held >= this.scenario.permits()
				: Arrays.stream(this.clients).anyMatch(MachineClient::holds);
		if (!this.network.isEmpty() || isFull) {
			return;
		}
		for (int i = 0; i < this.clients.length; i++) {
			if (!this.clients[i].waiting().isEmpty()) {
				this.fault = i + " was not woken";
			}
		}
	}

	private void make(int index, Move move) {
		MachineClient client = this.clients[index];
		client.apply(move, elapsedMicros());
		for (MachineClient.Command command : client.takeCommands()) {
			if (this.variant == Variant.WAKES_BEFORE_DELETE && command.content() instanceof Release) {
				this.network.addAll(this.server.wake(this.clients));
			}
			this.network.add(new Message.Request(index, command.number(), Copy.ONLY, command.content()));
		}
		for (long token : client.takeTokens()) {
			if (token <= this.lastToken && !this.server.isForgetful() && this.fault.isEmpty()) {
				this.fault = "token %d after token %d".formatted(token, this.lastToken);
			}
			this.lastToken = token;
		}
	}

	private void giveUp(int index, Move move) {
		this.losses++;
		make(index, move);
	}

	private void die(int index, boolean tidily) {
		this.dead.add(index);
		if (tidily) {
			this.server.unsubscribe(this.clients[index]);
		}
	}

	private void flood() {
		this.floods++;
		this.server.loseMemory();
		tick();
	}

	private void tick() {
		this.tick++;
		setClock();
		for (int i = 0; i < this.clients.length; i++) {
			if (!this.dead.contains(i)) {
				make(i, this.clients[i].tick());
			}
		}
	}

	private void setClock() {
		this.server.setClock(START_MICROS + elapsedMicros());
	}

	private long elapsedMicros() {
		return (long) this.tick * TICK_MICROS;
	}

	/** Breaks a connection, whose messages may still arrive. */
	private void repeat(Message.Request request) {
		this.copies++;
		this.network.remove(request);
		this.network.add(request.copy(Copy.FIRST));
		this.network.add(request.copy(Copy.SECOND));
	}

	private void execute(Message.Request request) {
		this.network.remove(request);
		int index = request.client();
		List<Message> sent = new ArrayList<>();
		Object reply = this.server.run(request.command(), request.copy() == Copy.SECOND, this.clients[index],
				this.clients, sent);
		if (request.copy() != Copy.FIRST) {
			sent.add(new Message.Response(index, request.number(), reply));
		}
		sent.removeIf((message) -> this.dead.contains(message.client()));
		this.network.addAll(sent);
	}

	private void arrive(Message message) {
		this.network.remove(message);
		int index = message.client();
		MachineClient client = this.clients[index];
		if (this.dead.contains(index)) {
			return;
		}
		if (message instanceof Message.Push push) {
			make(index, client.message(push.text()));
		}
		else if (message instanceof Message.Response response && client.awaits(response.number())) {
			make(index, client.response(response.number(), response.reply()));
		}
	}

	/** Lets all waiting requests complete. */
	void settle() {
		if (this.scenario.isCalm()) {
			finish();
			return;
		}
		this.story = new Story(this.story, "all messages are lost, and time passes");
		this.network.clear();
		for (int index : alive()) {
			make(index, this.clients[index].lose());
		}
		for (int round = 0; round < ROUNDS && hasWaiters() && this.fault.isEmpty(); round++) {
			tick();
			for (int index : alive()) {
				boolean goesOn = true;
				for (int i = 0; i < DUE_AT_ONCE && goesOn; i++) {
					goesOn = goOn(index, false);
				}
			}
			check();
		}
		if (hasWaiters() && this.fault.isEmpty()) {
			this.fault = "A request waits forever";
		}
	}

	/** Delivers all messages and releases all holds, without the passing of time. */
	private void finish() {
		this.story = new Story(this.story, "all messages arrive, and all holders release");
		boolean goesOn = true;
		while (goesOn && this.fault.isEmpty()) {
			goesOn = false;
			for (int index : alive()) {
				goesOn |= goOn(index, true);
				check();
			}
		}
	}

	private List<Integer> alive() {
		return IntStream.range(0, this.clients.length).filter((index) -> !this.dead.contains(index)).boxed().toList();
	}

	private boolean hasWaiters() {
		return alive().stream().anyMatch((index) -> !this.clients[index].waiting().isEmpty());
	}

	/**
	 * Delivers messages in flight, or lets a client take a due action.
	 * @param subscribed whether clients receive published messages
	 * @return {@code true} if anything happened
	 */
	private boolean goOn(int index, boolean subscribed) {
		if (!this.network.isEmpty()) {
			while (!this.network.isEmpty()) {
				Message first = this.network.get(0);
				if (first instanceof Message.Request request) {
					execute(request);
				}
				else if (subscribed || first instanceof Message.Response) {
					arrive(first);
				}
				else {
					this.network.remove(first);
				}
			}
			return true;
		}
		List<Move> due = this.clients[index].due(elapsedMicros());
		if (!due.isEmpty()) {
			make(index, due.get(0));
		}
		return !due.isEmpty();
	}

	@Override
	public String toString() {
		return this.server + " " + this.network;
	}

	/**
	 * Possible step.
	 *
	 * @param kind the kind of the step
	 * @param what the details of the step
	 * @param change the change of the model
	 */
	record Step(String kind, Object what, Consumer<ProtocolModel> change) {

		@Override
		public String toString() {
			return this.kind + this.what;
		}

	}

	/**
	 * Step that was taken, with those before it.
	 */
	private record Story(@Nullable Story before, Object step) {
	}

}
