package io.lockstarter.verification.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.engine.lock.MachineClient;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.Replies;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;

/**
 * Model of Redis with one lock, which checks the effects of scripts.
 */
final class Server {

	private static final String LOCK = new LockKeys("lock:", () -> "").lock(MachineClient.NAME);

	private static final String CLIENTS = LOCK + ":clients";

	private static final String WAITERS = LOCK + ":waiters";

	private static final Duration RETENTION = Duration.ofMinutes(10);

	private static final long DEAD_MICROS = 2_000_000;

	/** Sequence number of a release that only leaves the queue. */
	private static final long NO_TENURE = 0;

	private final Variant variant;

	private final Scripts scripts;

	private final RedisModel redis;

	/** Tenures that were ended by a release. */
	private final Set<String> ended;

	/** Tenures that held the lock when a release ended them. */
	private final Set<String> released;

	private final Map<String, Long> bases;

	private long highest;

	private long micros;

	private boolean forgetful;

	private String fault = "";

	Server(Variant variant) {
		this.variant = variant;
		this.scripts = variant.scripts();
		this.redis = new RedisModel();
		this.ended = new HashSet<>();
		this.released = new HashSet<>();
		this.bases = new HashMap<>();
	}

	private Server(Server other) {
		this.variant = other.variant;
		this.scripts = other.scripts;
		this.redis = other.redis.copy();
		this.ended = new HashSet<>(other.ended);
		this.released = new HashSet<>(other.released);
		this.bases = new HashMap<>(other.bases);
		this.highest = other.highest;
		this.micros = other.micros;
		this.forgetful = other.forgetful;
	}

	Server copy() {
		return new Server(this);
	}

	/** Returns the fault, or an empty text. */
	String fault() {
		return this.fault;
	}

	void setClock(long micros) {
		this.micros = micros;
		this.redis.setClock(micros);
	}

	void subscribe(MachineClient client) {
		this.redis.subscribe(client.keys().wakeChannel());
	}

	void unsubscribe(MachineClient client) {
		this.redis.unsubscribe(client.keys().wakeChannel());
	}

	void loseMemory() {
		this.redis.flush();
		this.forgetful = true;
	}

	/**
	 * Returns whether the server has lost acknowledged data, so that exclusion is not
	 * guaranteed.
	 */
	boolean isForgetful() {
		return this.forgetful;
	}

	private Set<String> holders() {
		Set<String> holders = new HashSet<>(this.redis.hash(LOCK).keySet());
		holders.removeAll(List.of("shared", "by", "waits"));
		return holders;
	}

	/** Returns the shares whose deadlines are over, on which no holder relies. */
	private Set<String> over() {
		Set<String> over = new HashSet<>();
		this.redis.hash(LOCK).forEach((tenure, value) -> {
			String[] share = value.split(" ", 3);
			if (tenure.contains(":") && share.length == 3 && Long.parseLong(share[0]) < this.micros / 1000) {
				over.add(tenure);
			}
		});
		return over;
	}

	/** Wakes the first waiter, even if it is not its turn. */
	List<Message> wake(MachineClient[] clients) {
		Object first = this.redis.call("ZRANGE", List.of(WAITERS, "0", "0", "WITHSCORES"));
		List<Message> sent = new ArrayList<>();
		for (int i = 0; i < clients.length; i++) {
			if (String.valueOf(first).contains(clients[i].id())) {
				sent.add(new Message.Push(i, LOCK));
			}
		}
		return sent;
	}

	/**
	 * Executes a command.
	 * @param again whether the command was sent before
	 * @param sent receives the published messages
	 * @return the reply
	 */
	Object run(Object command, boolean again, MachineClient client, MachineClient[] clients, List<Message> sent) {
		setClock(this.micros + 20);
		Set<String> before = holders();
		Set<String> over = over();
		long lease = this.redis.expiry(LOCK);
		List<String> bypassed = (command instanceof Acquire acquire) ? bypassed(acquire) : List.of();
		Object reply = reply(command, again, client);
		for (RedisModel.Message message : this.redis.takePublished()) {
			published(message, clients, sent);
		}
		if (command instanceof Acquire acquire && reply instanceof Granted granted) {
			String tenure = acquire.tenure().toString();
			granted(tenure, granted.base());
			if (!before.contains(tenure) && !bypassed.isEmpty()) {
				report("%s came before %s", tenure, bypassed);
			}
			Set<String> others = new HashSet<>(before);
			others.removeAll(over);
			if (!before.contains(tenure) && acquire.isPermit() && others.size() >= acquire.permits()) {
				report("%s has a permit beside %s", tenure, others);
			}
		}
		else if (command instanceof Release release && release.tenure().sequence() != NO_TENURE) {
			checkRelease(release, again, before, over, ((Release.Reply) reply).outcome());
		}
		if (!(command instanceof Release) && before.equals(holders()) && !before.isEmpty()
				&& this.redis.expiry(LOCK) < lease) {
			report("The lease of %s was shortened by %s", before, command);
		}
		for (String holder : holders()) {
			if (this.ended.contains(holder) && !this.forgetful) {
				report("%s is held after its end", holder);
			}
		}
		return reply;
	}

	private void published(RedisModel.Message message, MachineClient[] clients, List<Message> sent) {
		for (int i = 0; i < clients.length; i++) {
			if (message.channel().equals(clients[i].keys().wakeChannel()) && !message.text().isEmpty()) {
				sent.add(new Message.Push(i, message.text()));
				if (clients[i].read(message.text()) instanceof LockBackend.DirectGrant grant) {
					granted(grant.tenure().toString(), grant.base());
				}
			}
		}
	}

	private Object reply(Object command, boolean again, MachineClient client) {
		LockScripts calls = new LockScripts(client.keys(), client::id, RETENTION, true, () -> false);
		Replies replies = new Replies(client.keys(), () -> "");
		if (command instanceof Acquire acquire) {
			return replies.acquisition(acquire, run(calls.acquire(acquire), again));
		}
		if (command instanceof Release release) {
			boolean notifiesNobody = this.variant == Variant.WAKES_BEFORE_DELETE
					&& release.tenure().sequence() != NO_TENURE;
			return Replies.release(
					run(notifiesNobody ? calls.cancel(release.name(), release.tenure()) : calls.release(release, false),
							again));
		}
		return Replies.renewal(run(calls.renew(List.of((Renew) command)), again), 0);
	}

	private Reply run(ScriptCall made, boolean again) {
		ScriptCall call = again ? made.repeated() : made;
		Object reply = this.scripts.find(call.script()).run(this.redis, call.keys(), call.arguments());
		return new Reply((reply instanceof List<?> list) ? new ArrayList<>(list) : Arrays.asList(reply));
	}

	private void checkRelease(Release release, boolean again, Set<String> before, Set<String> over, Outcome outcome) {
		String tenure = release.tenure().toString();
		boolean held = before.contains(tenure);
		for (String other : before) {
			if (!other.equals(tenure) && !over.contains(other) && !holders().contains(other)) {
				report("%s was ended by the release of %s", other, tenure);
			}
		}
		boolean ends = release.intent() != Intent.DOWNGRADE;
		boolean released = ends && this.released.contains(tenure);
		// The server leaves no tombstone of a tenure without late commands
		boolean unsure = again && ends && release.allReplied();
		boolean right = switch (outcome) {
			case RELEASED -> held;
			case RELEASED_BEFORE -> !held && released;
			case NOT_HELD -> !held && !(released && unsure);
			case UNKNOWN -> !held && unsure;
		};
		if (!right && !this.forgetful) {
			report("The release of %s got the reply %s", tenure, outcome);
		}
		if (ends) {
			this.ended.add(tenure);
			if (held) {
				this.released.add(tenure);
			}
		}
	}

	private void granted(String tenure, long base) {
		Long known = this.bases.put(tenure, base);
		if (known != null && known == base) {
			return;
		}
		if (base <= this.highest) {
			report("token %d after token %d", base, this.highest);
		}
		this.highest = Math.max(this.highest, base + LockBackend.TOKEN_BASES - 1);
	}

	/**
	 * Returns waiters with an earlier queue position that a grant of the request would
	 * bypass.
	 */
	private List<String> bypassed(Acquire command) {
		List<String> bypassed = new ArrayList<>();
		if (command.isPermit()) {
			return bypassedByPermit(command);
		}
		boolean reads = command.type() == LockType.READ;
		if (reads || command.type() == LockType.FAIR) {
			double own = position(command);
			this.redis.scores(WAITERS).forEach((channel, score) -> {
				String other = channel.substring(channel.length() - command.tenure().client().length());
				String[] waits = this.redis.hash(CLIENTS).getOrDefault("w:" + other, "x 0").split(" ");
				boolean alive = this.micros - Long.parseLong(waits[1]) <= DEAD_MICROS;
				boolean joins = reads && waits[0].equalsIgnoreCase("r");
				if (score < own && alive && !joins && !other.equals(command.tenure().client())) {
					bypassed.add(other);
				}
			});
		}
		return bypassed;
	}

	/**
	 * Returns waiters that have waited longer, if no permit would remain for them.
	 */
	private List<String> bypassedByPermit(Acquire command) {
		Set<String> having = holders();
		having.removeAll(over());
		int taken = having.size();
		List<String> ahead = new ArrayList<>();
		List<Map.Entry<String, Double>> queue = new ArrayList<>(this.redis.scores(WAITERS).entrySet());
		queue.sort(Map.Entry.comparingByValue());
		for (Map.Entry<String, Double> waiter : queue) {
			String other = waiter.getKey().substring(waiter.getKey().length() - command.tenure().client().length());
			String[] waits = this.redis.hash(CLIENTS).getOrDefault("w:" + other, "x 0").split(" ", 5);
			boolean counts = waiter.getValue() < position(command) && !other.equals(command.tenure().client())
					&& this.micros - Long.parseLong(waits[1]) <= DEAD_MICROS && !waits[0].equalsIgnoreCase("r");
			int limit = waits[0].equalsIgnoreCase("p") ? Integer.parseInt(waits[4].substring(1).split(" ")[0]) : 1;
			if (counts && limit <= Math.max(1, taken)) {
				return List.of(other);
			}
			if (counts) {
				ahead.add(other);
				taken++;
			}
		}
		return (taken < command.permits()) ? List.of() : ahead;
	}

	private double position(Acquire command) {
		Waiting waiting = command.waiting();
		if (waiting == null) {
			return this.micros;
		}
		long waited = (command.type() == LockType.FAIR) ? waiting.waited().toNanos() / 1000 : 0;
		return waiting.position().orElse(this.micros - waited);
	}

	private void report(String format, Object... arguments) {
		if (this.fault.isEmpty()) {
			this.fault = format.formatted(arguments);
		}
	}

	/** Returns a text that identifies this state. */
	@Override
	public String toString() {
		return this.redis + " " + this.ended + this.released + this.highest + ' ' + this.micros + this.forgetful;
	}

}
