package io.lockstarter.verification.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A model of Redis with one lock, which watches what the scripts do to it.
 */
final class Server {

	static final String LOCK = "lock:{a}";

	private static final String FENCE = LOCK + ":fence";

	private static final String WAITERS = LOCK + ":waiters";

	private static final String CHANNEL = "lock:wake:";

	private static final String LEASE = Integer.toString(Client.LEASE_MILLIS);

	private static final String RETENTION = "600000";

	private static final String HOLDER = "holder";

	private static final long DEAD_MICROS = 2_000_000;

	private static final int BLOCK = 16;

	private final Scripts scripts;

	private final RedisModel redis;

	/** Tenures that a release has ended. */
	private final Set<String> ended;

	/** Those of them that held the lock then. */
	private final Set<String> released;

	private final Map<String, Long> bases;

	private long highest;

	private long micros;

	private boolean forgetful;

	private String fault = "";

	Server(Scripts scripts) {
		this.scripts = scripts;
		this.redis = new RedisModel();
		this.ended = new HashSet<>();
		this.released = new HashSet<>();
		this.bases = new HashMap<>();
	}

	private Server(Server other) {
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

	/** What is wrong; empty if nothing is. */
	String fault() {
		return this.fault;
	}

	long micros() {
		return this.micros;
	}

	void setClock(long micros) {
		this.micros = micros;
		this.redis.setClock(micros);
	}

	void subscribe(Client client) {
		this.redis.subscribe(CHANNEL + client.id);
	}

	void unsubscribe(Client client) {
		this.redis.unsubscribe(CHANNEL + client.id);
	}

	void loseMemory() {
		this.redis.flush();
		this.forgetful = true;
	}

	/** Whether it once lost what it had acknowledged, so that it cannot exclude. */
	boolean isForgetful() {
		return this.forgetful;
	}

	private Set<String> holders() {
		Set<String> holders = new HashSet<>(this.redis.hash(LOCK).keySet());
		holders.remove("shared");
		return holders;
	}

	/** Tell the first who waits that it is his turn, whether it is or not. */
	void wake(Client[] clients, List<Message> sent) {
		Object first = this.redis.call("ZRANGE", List.of(WAITERS, "0", "0", "WITHSCORES"));
		for (Client client : clients) {
			if (String.valueOf(first).contains(client.id)) {
				sent.add(new Message.Push(client.index, LOCK));
			}
		}
	}

	@Nullable Object run(Message.Request request, Client client, Client[] clients, List<Message> sent) {
		setClock(this.micros + 20);
		Set<String> before = holders();
		long lease = this.redis.expiry(LOCK);
		List<String> overtaken = overtaken(request, client);
		Object reply = reply(request, client);
		for (RedisModel.Message message : this.redis.takePublished()) {
			for (Client other : clients) {
				// An empty one only shows whether there is a subscriber.
				if (message.channel().endsWith(other.id) && other.phase != Client.Phase.DEAD
						&& !message.text().isEmpty()) {
					sent.add(new Message.Push(other.index, message.text()));
				}
			}
			if (message.text().startsWith("!")) {
				String[] fields = message.text().substring(1).split(" ");
				granted(message.channel().substring(CHANNEL.length()) + ":" + fields[0], Long.parseLong(fields[1]));
			}
		}
		if (request instanceof Message.Acquire acquire) {
			String tenure = client.tenure(acquire.sequence());
			if (reply instanceof Long base && base != 0) {
				granted(tenure, Math.abs(base));
				if (!before.contains(tenure) && !overtaken.isEmpty()) {
					wrong("%s came before %s", tenure, overtaken);
				}
			}
		}
		else if (request instanceof Message.Release release && release.sequence() > 0) {
			checkRelease(release, client.tenure(release.sequence()), before, outcome(reply));
		}
		if (!(request instanceof Message.Release) && before.equals(holders()) && !before.isEmpty()
				&& this.redis.expiry(LOCK) < lease) {
			wrong("The lease of %s was shortened by %s", before, request);
		}
		for (String holder : holders()) {
			if (this.ended.contains(holder) && !this.forgetful) {
				wrong("%s is held after its end", holder);
			}
		}
		return reply;
	}

	private @Nullable Object reply(Message.Request request, Client client) {
		if (request instanceof Message.Acquire acquire) {
			String script = switch (client.mode) {
				case 'f' -> "acquire_fair";
				case 'r' -> "acquire_shared";
				default -> "acquire";
			};
			return run(script, client.id, Integer.toString(acquire.sequence()), LEASE, RETENTION, HOLDER, "g",
					acquire.place(), Long.toString(acquire.waited()));
		}
		if (request instanceof Message.Release release) {
			String sequence = Integer.toString(release.sequence());
			return switch (release.intent()) {
				case "y" -> run("yield", client.id, sequence, LEASE, RETENTION, HOLDER, "", "g",
						Character.toString(client.mode), Integer.toString(release.next()), "0");
				case "k" -> run("cancel", client.id, sequence, "", RETENTION, "");
				// One that is not answered may be of a tenure that nobody here has.
				default -> run((release.number() == 0 || client.reads()) ? "release_shared" : "release", client.id,
						sequence, "", RETENTION, "", "", release.intent());
			};
		}
		Message.Renew renew = (Message.Renew) request;
		return this.scripts.get("renew")
			.run(this.redis, List.of(LOCK, FENCE),
					List.of(RETENTION, client.tenure(renew.sequence()), "1", Integer.toString(renew.lease())));
	}

	private @Nullable Object run(String script, String... arguments) {
		return this.scripts.get(script).run(this.redis, List.of(LOCK, FENCE, WAITERS), List.of(arguments));
	}

	private static long outcome(@Nullable Object reply) {
		return (Long) Objects.requireNonNull((reply instanceof List<?> list) ? list.get(0) : reply);
	}

	private void checkRelease(Message.Release release, String tenure, Set<String> before, long outcome) {
		boolean held = before.contains(tenure);
		for (String other : before) {
			if (!other.equals(tenure) && !holders().contains(other)) {
				wrong("%s was ended by the release of %s", other, tenure);
			}
		}
		long right = held ? 1 : this.released.contains(tenure) ? 2 : 3;
		if (outcome != right && !this.forgetful) {
			wrong("The release of %s was answered %d instead of %d", tenure, outcome, right);
		}
		this.ended.add(tenure);
		if (held) {
			this.released.add(tenure);
		}
	}

	private void granted(String tenure, long base) {
		Long known = this.bases.put(tenure, base);
		if (known != null && known == base) {
			return;
		}
		if (base <= this.highest) {
			wrong("token %d after token %d", base, this.highest);
		}
		this.highest = Math.max(this.highest, base + BLOCK - 1);
	}

	/** Those who wait with an earlier place, and must not be overtaken. */
	private List<String> overtaken(Message.Request request, Client client) {
		List<String> overtaken = new ArrayList<>();
		if (request instanceof Message.Acquire acquire && client.mode != 'x') {
			double own = acquire.place().isEmpty() ? this.micros - acquire.waited() : Long.parseLong(acquire.place());
			this.redis.scores(WAITERS).forEach((channel, score) -> {
				String other = channel.substring(CHANNEL.length());
				String[] waits = this.redis.hash(FENCE).getOrDefault("w:" + other, "x 0").split(" ");
				boolean alive = this.micros - Long.parseLong(waits[1]) <= DEAD_MICROS;
				boolean joins = client.reads() && waits[0].equalsIgnoreCase("r");
				if (score < own && alive && !joins && !other.equals(client.id)) {
					overtaken.add(other);
				}
			});
		}
		return overtaken;
	}

	private void wrong(String format, Object... arguments) {
		if (this.fault.isEmpty()) {
			this.fault = format.formatted(arguments);
		}
	}

	/** Everything that tells this state from others. */
	@Override
	public String toString() {
		return "%s %s %s %d %d %s".formatted(this.redis, this.ended, this.released, this.highest, this.micros,
				this.forgetful);
	}

}
