package io.lockstarter.verification.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.lockstarter.verification.model.Client.Phase;
import org.jspecify.annotations.Nullable;

/**
 * One state of a small world: a server that runs the scripts, clients that take one lock
 * again and again, and a network that delivers what was sent at any time, in any order,
 * perhaps twice, or never. Each step makes a copy of the state.
 */
final class ProtocolModel {

	private static final long START_MICROS = 1_700_000_000_000_000L;

	private static final int TICK_MICROS = Client.TICK_MILLIS * 1000;

	private final Scenario scenario;

	private final Variant variant;

	private final Server server;

	private final Client[] clients;

	private final List<Message> network = new ArrayList<>();

	private int tick;

	private int copies;

	private int losses;

	private int deaths;

	private int floods;

	private String fault = "";

	private final @Nullable ProtocolModel before;

	private String step = "";

	ProtocolModel(Scenario scenario, Variant variant) {
		this.scenario = scenario;
		this.variant = variant;
		this.server = new Server(Scripts.of(variant));
		this.clients = new Client[scenario.clients()];
		for (int i = 0; i < this.clients.length; i++) {
			this.clients[i] = new Client(i, scenario.modes().charAt(i));
			this.server.subscribe(this.clients[i]);
		}
		this.before = null;
		setClock();
	}

	private ProtocolModel(ProtocolModel other) {
		this.scenario = other.scenario;
		this.variant = other.variant;
		this.server = other.server.copy();
		this.clients = new Client[other.clients.length];
		Arrays.setAll(this.clients, (i) -> other.clients[i].copy());
		this.network.addAll(other.network);
		this.tick = other.tick;
		this.copies = other.copies;
		this.losses = other.losses;
		this.deaths = other.deaths;
		this.floods = other.floods;
		this.before = other;
	}

	/** What is wrong in this state; empty if nothing is. */
	String fault() {
		return this.fault;
	}

	/** The bounds of this world, and what is wrong by intent. */
	String setting() {
		return this.variant + ", " + this.scenario;
	}

	/** What has led here from the state before. */
	String step() {
		return this.step;
	}

	/** The steps that led here. */
	String story() {
		return ((this.before != null) ? this.before.story() + "\n  " : "") + this.step;
	}

	/** Tells this state from all others, but for a chance of one in 2^64. */
	long fingerprint() {
		List<String> messages = new ArrayList<>();
		this.network.forEach((message) -> messages.add(message.toString()));
		messages.sort(null);
		String text = this.server + Arrays.toString(this.clients) + messages + this.tick + ',' + this.copies + ','
				+ this.losses + ',' + this.deaths + ',' + this.floods;
		long hash = 0;
		for (int i = 0; i < text.length(); i++) {
			hash = (hash + text.charAt(i) + 1) * 0x9E3779B97F4A7C15L;
			hash ^= hash >>> 29;
		}
		return hash;
	}

	/** Show every state that may follow. */
	void forEachNext(Consumer<ProtocolModel> action) {
		for (Client client : this.clients) {
			clientSteps(client.index, client, action);
		}
		for (Message message : new LinkedHashSet<>(this.network)) {
			if (message instanceof Message.Request request) {
				action.accept(copy("the server gets " + request, (next) -> next.execute(request, false)));
				if (this.copies < this.scenario.copies()) {
					action.accept(copy("the server gets, for the first time, " + request,
							(next) -> next.execute(request, true)));
				}
			}
			else {
				action.accept(copy("a client gets " + message, (next) -> next.arrive(message)));
			}
		}
		if (this.tick < this.scenario.ticks()) {
			action.accept(copy("time passes", ProtocolModel::tick));
		}
		if (this.floods < this.scenario.floods()) {
			action.accept(copy("the server loses its memory", ProtocolModel::flood));
		}
	}

	private void clientSteps(int index, Client client, Consumer<ProtocolModel> action) {
		boolean patient = this.losses >= this.scenario.losses();
		switch (client.phase) {
			case IDLE -> {
				if (mayBegin(client)) {
					action.accept(copy(index + " begins to ask", (next) -> next.begin(next.clients[index])));
				}
			}
			case ASKING -> {
				if (!patient) {
					action.accept(copy(index + " gives up to ask", (next) -> next.giveUp(next.clients[index])));
				}
				if (!client.abandoned) {
					action.accept(
							copy(index + " is no longer asked to ask", (next) -> next.clients[index].abandoned = true));
				}
			}
			case ASLEEP -> {
				if (!this.scenario.isCalm() && this.variant != Variant.NO_TIMER && mayAsk(client)) {
					action.accept(copy(index + " looks by itself", (next) -> next.ask(next.clients[index])));
				}
				action.accept(copy(index + " leaves", (next) -> next.leave(next.clients[index])));
			}
			case HOLDING -> holderSteps(index, client, action);
			case RELEASING -> {
				if (!patient) {
					action.accept(copy(index + " gives up to release", (next) -> next.giveUp(next.clients[index])));
				}
			}
			default -> {
				return;
			}
		}
		if (this.deaths < this.scenario.deaths() && client.phase != Phase.IDLE) {
			action.accept(copy(index + " dies", (next) -> next.die(next.clients[index], true)));
			action.accept(copy(index + " hangs for ever", (next) -> next.die(next.clients[index], false)));
		}
	}

	private void holderSteps(int index, Client client, Consumer<ProtocolModel> action) {
		action.accept(copy(index + " releases", (next) -> next.release(next.clients[index], "")));
		if (mayBegin(client)) {
			String intent = (client.mode == 'x') ? "r" : "y";
			action.accept(copy(index + " releases and yields", (next) -> next.release(next.clients[index], "y")));
			if (intent.equals("r")) {
				action.accept(copy(index + " releases to return", (next) -> next.release(next.clients[index], "r")));
			}
		}
		if (client.renewing == 0 && mayAsk(client)) {
			action.accept(copy(index + " renews", (next) -> next.renew(next.clients[index], Client.LEASE_MILLIS)));
			action.accept(copy(index + " extends its lease",
					(next) -> next.renew(next.clients[index], 2 * Client.LEASE_MILLIS)));
		}
	}

	private ProtocolModel copy(String step, Consumer<ProtocolModel> change) {
		ProtocolModel next = new ProtocolModel(this);
		next.step = step;
		change.accept(next);
		if (next.fault.isEmpty()) {
			next.fault = next.server.fault();
		}
		if (next.fault.isEmpty() && this.scenario.isCalm()) {
			next.checkNobodyIsOverlooked();
		}
		return next;
	}

	private boolean mayBegin(Client client) {
		return client.tenures < this.scenario.tenures() && mayAsk(client);
	}

	private boolean mayAsk(Client client) {
		return client.asks < this.scenario.asks();
	}

	private void begin(Client client) {
		client.since = this.tick;
		client.place = -1;
		ask(client);
	}

	private void ask(Client client) {
		if (!mayAsk(client) || (client.registered == 0 && client.tenures >= this.scenario.tenures())) {
			leave(client);
			return;
		}
		client.sequence = (client.registered > 0) ? client.registered : ++client.tenures;
		client.phase = Phase.ASKING;
		client.abandoned = false;
		client.woken = false;
		client.sentAt = this.tick;
		client.awaiting = ++client.asks;
		long waited = (client.mode == 'f') ? (long) (this.tick - client.since) * TICK_MICROS : 0;
		this.network.add(new Message.Acquire(client.index, client.awaiting, client.sequence,
				(client.place >= 0) ? Long.toString(client.place) : "", waited));
	}

	private void leave(Client client) {
		if ((client.place >= 0 || client.registered > 0) && this.variant != Variant.KEEPS_A_TURN) {
			passOn(client, client.registered);
		}
		client.place = -1;
		client.registered = 0;
		client.phase = Phase.IDLE;
	}

	private void passOn(Client client, int sequence) {
		this.network.add(new Message.Release(client.index, 0, sequence, "", 0));
	}

	/** No answer has come in time. */
	private void giveUp(Client client) {
		this.losses++;
		passOn(client, client.sequence);
		client.registered = 0;
		client.registering = 0;
		leave(client);
	}

	private void release(Client client, String intent) {
		client.phase = Phase.RELEASING;
		client.woken = false;
		client.sentAt = this.tick;
		client.awaiting = ++client.asks;
		client.registering = (intent.equals("y") && client.tenures < this.scenario.tenures()) ? ++client.tenures : 0;
		String sent = (intent.equals("y") && client.registering == 0) ? "" : intent;
		if (this.variant == Variant.WAKES_BEFORE_DELETE) {
			this.server.wake(this.clients, this.network);
			sent = "k";
		}
		this.network.add(new Message.Release(client.index, client.awaiting, client.sequence, sent, client.registering));
	}

	private void renew(Client client, int lease) {
		client.renewing = ++client.asks;
		client.renewedAt = this.tick;
		this.network.add(new Message.Renew(client.index, client.renewing, client.sequence, lease));
	}

	private void die(Client client, boolean tidily) {
		this.deaths++;
		client.phase = Phase.DEAD;
		if (tidily) {
			this.server.unsubscribe(client);
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
		for (Client client : this.clients) {
			if (client.holds() && nowMillis() >= client.deadlineMillis) {
				lose(client);
			}
		}
	}

	private void setClock() {
		this.server.setClock(START_MICROS + (long) this.tick * TICK_MICROS);
	}

	private long nowMillis() {
		return (long) this.tick * Client.TICK_MILLIS;
	}

	private void lose(Client client) {
		client.phase = Phase.IDLE;
		client.renewing = 0;
		// When its owner releases it.
		passOn(client, client.sequence);
	}

	private void execute(Message.Request request, boolean again) {
		if (again) {
			this.copies++;
		}
		else {
			this.network.remove(request);
		}
		Client client = this.clients[request.client()];
		Object reply = this.server.run(request, client, this.clients, this.network);
		if (client.phase != Phase.DEAD) {
			this.network.add(new Message.Answer(client.index, request, reply));
		}
	}

	private void arrive(Message message) {
		this.network.remove(message);
		Client client = this.clients[message.client()];
		if (client.phase == Phase.DEAD) {
			return;
		}
		if (message instanceof Message.Push push) {
			told(client, push.text());
		}
		else if (message instanceof Message.Answer answer) {
			answered(client, answer);
		}
	}

	private void answered(Client client, Message.Answer answer) {
		if (answer.to() instanceof Message.Acquire asked) {
			if (client.phase == Phase.ASKING && client.awaiting == asked.number()) {
				client.registered = 0;
				asked(client, answer.reply());
			}
		}
		else if (answer.to() instanceof Message.Release released) {
			if (client.phase == Phase.RELEASING && client.awaiting == released.number()) {
				released(client, released, answer.reply());
			}
			else if (released.number() == 0 && client.phase != Phase.IDLE) {
				// It is no longer among the waiters.
				wake(client);
			}
		}
		else if (client.holds() && client.renewing == answer.to().number()) {
			renewed(client, (Message.Renew) answer.to(),
					(Long) Objects.requireNonNull(((List<?>) Objects.requireNonNull(answer.reply())).get(0)));
		}
	}

	private void asked(Client client, @Nullable Object reply) {
		if (reply instanceof Long base && base != 0) {
			client.place = -1;
			int start = (this.variant == Variant.DEADLINE_FROM_ANSWER) ? this.tick : client.sentAt;
			granted(client, (long) start * Client.TICK_MILLIS, Client.LEASE_MILLIS);
		}
		else if (reply instanceof List<?> refused && refused.size() > 1) {
			client.place = number(refused.get(3));
			register(client, client.sequence, number(refused.get(4)));
			sleep(client);
		}
		else if (client.abandoned) {
			leave(client);
		}
		else {
			ask(client);
		}
	}

	private static long number(@Nullable Object value) {
		return (value instanceof Long number) ? number : Long.parseLong(String.valueOf(value));
	}

	private void register(Client client, int sequence, long micros) {
		client.registered = sequence;
		client.registeredAt = client.sentAt;
		client.registeredMicros = micros;
	}

	private void sleep(Client client) {
		if (client.abandoned) {
			leave(client);
		}
		else if (client.woken) {
			ask(client);
		}
		else {
			client.phase = Phase.ASLEEP;
		}
	}

	private void granted(Client client, long startMillis, long lease) {
		long usable = lease - lease / 100 - 2;
		if (this.variant == Variant.DEADLINE_BEYOND_LEASE) {
			usable = lease + Client.TICK_MILLIS + 1;
		}
		client.deadlineMillis = startMillis + usable;
		boolean fresh = client.deadlineMillis - nowMillis() > usable / 2;
		if (client.abandoned || !fresh) {
			String intent = (client.mode == 'x') ? "r" : "y";
			release(client, (client.abandoned || !mayBegin(client)) ? "" : intent);
			return;
		}
		client.phase = Phase.HOLDING;
		client.renewing = 0;
		checkExclusion();
	}

	private void released(Client client, Message.Release released, @Nullable Object reply) {
		client.phase = Phase.IDLE;
		client.registering = 0;
		client.abandoned = false;
		if (reply instanceof List<?> yielded) {
			client.place = number(yielded.get(1));
			client.since = this.tick;
			register(client, released.next(), client.place);
			sleep(client);
		}
		else if (released.intent().equals("y") || released.intent().equals("r")) {
			begin(client);
		}
	}

	private void renewed(Client client, Message.Renew renew, long verdict) {
		client.renewing = 0;
		if (verdict == 0) {
			lose(client);
		}
		else {
			int start = (this.variant == Variant.DEADLINE_FROM_ANSWER) ? this.tick : client.renewedAt;
			long deadline = (long) start * Client.TICK_MILLIS + renew.lease() - renew.lease() / 100 - 2;
			client.deadlineMillis = Math.max(client.deadlineMillis, deadline);
		}
	}

	private void told(Client client, String message) {
		if (message.startsWith("!")) {
			String[] fields = message.substring(1).split(" ");
			offered(client, Integer.parseInt(fields[0]), Long.parseLong(fields[2]), Long.parseLong(fields[3]));
		}
		else if (!message.startsWith("?")) {
			if (client.phase == Phase.IDLE) {
				passOn(client, 0);
			}
			else {
				wake(client);
			}
		}
	}

	private void wake(Client client) {
		client.woken = true;
		if (client.phase == Phase.ASLEEP) {
			ask(client);
		}
	}

	/** The lock was granted by a message. */
	private void offered(Client client, int sequence, long micros, long lease) {
		boolean asking = client.phase == Phase.ASKING && client.sequence == sequence
				&& this.variant != Variant.ENDS_WHAT_IT_ASKS_FOR;
		if (client.registering == sequence || asking) {
			client.woken = true;
		}
		else if (client.registered != sequence) {
			if ((!client.holds() || client.sequence != sequence) && this.variant != Variant.KEEPS_A_TURN) {
				passOn(client, sequence);
			}
		}
		else {
			long later = (micros - client.registeredMicros) / 1000;
			long start = (long) client.registeredAt * Client.TICK_MILLIS + later;
			if (this.variant == Variant.DEADLINE_FROM_MESSAGE) {
				start = nowMillis();
				later = 0;
			}
			long deadline = start + lease - lease / 100 - 2 - later / 100;
			boolean usable = later >= 0 && start <= nowMillis() && deadline > nowMillis();
			if (usable && client.phase == Phase.ASLEEP) {
				client.sequence = sequence;
				client.registered = 0;
				client.place = -1;
				client.abandoned = false;
				granted(client, start, lease);
			}
			else {
				wake(client);
			}
		}
	}

	private void checkExclusion() {
		if (this.server.isForgetful()) {
			return;
		}
		for (Client one : this.clients) {
			for (Client other : this.clients) {
				if (one.index < other.index && one.holds() && other.holds() && !(one.reads() && other.reads())) {
					this.fault = "%d and %d hold the lock at once".formatted(one.index, other.index);
				}
			}
		}
	}

	/**
	 * Nothing is on its way any more, nobody holds the lock, and still somebody waits.
	 */
	private void checkNobodyIsOverlooked() {
		boolean quiet = this.network.isEmpty();
		for (Client client : this.clients) {
			quiet = quiet && (client.phase == Phase.IDLE || client.phase == Phase.ASLEEP);
		}
		for (Client client : this.clients) {
			if (quiet && client.phase == Phase.ASLEEP) {
				this.fault = client.index + " was not woken";
			}
		}
	}

	/**
	 * Let all messages be lost that are on their way, all holders release, and those who
	 * wait look by themselves: then all of them have their turn.
	 */
	ProtocolModel settled() {
		ProtocolModel last = copy("all messages are lost, and time goes by", (next) -> next.network.clear());
		Scenario endless = this.scenario.endless();
		ProtocolModel world = new ProtocolModel(last, endless);
		boolean[] waits = new boolean[world.clients.length];
		for (Client client : world.clients) {
			waits[client.index] = client.phase == Phase.ASLEEP;
		}
		for (int round = 0; round < 24; round++) {
			world.tick();
			for (Client client : world.clients) {
				if (client.phase == Phase.ASLEEP && this.variant != Variant.NO_TIMER) {
					world.ask(client);
					world.finish(client);
				}
				waits[client.index] &= !client.holds();
				if (client.holds()) {
					world.release(client, "");
					world.finish(client);
				}
			}
		}
		for (Client client : world.clients) {
			if (waits[client.index] && client.phase == Phase.ASLEEP) {
				world.fault = client.index + " waits for ever";
			}
		}
		return world;
	}

	private ProtocolModel(ProtocolModel other, Scenario scenario) {
		this.scenario = scenario;
		this.variant = other.variant;
		this.server = other.server;
		this.clients = other.clients;
		this.network.addAll(other.network);
		this.tick = other.tick;
		this.before = other;
	}

	/** Let a client's command and its answer arrive, and nothing else. */
	private void finish(Client client) {
		Message.Request sent = (Message.Request) this.network.get(this.network.size() - 1);
		execute(sent, false);
		Message.Answer answer = (Message.Answer) this.network.get(this.network.size() - 1);
		this.network.clear();
		answered(client, answer);
		this.network.clear();
	}

	@Override
	public String toString() {
		return this.server + " " + Arrays.toString(this.clients) + " " + this.network;
	}

}
