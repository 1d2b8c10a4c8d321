package io.lockstarter.verification.mistakes;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.redis.script.LuaScript;

/**
 * Mistake in a script. It does not change the text of the script, but its commands or its
 * reply.
 */
public enum WrongScript {

	/** Holds are counted up and down, so a repeated command counts twice. */
	RELATIVE_COUNTS(in(commands("""
			if name == 'HSET' and key == KEYS[1] and value == '1' then
			  call(name, key, select(5, ...))
			  return call('HINCRBY', key, field, 1)
			elseif name == 'HMGET' and key == KEYS[1] then
			  local lock = call(...)
			  if tonumber(lock[1] or '') then
			    call('HINCRBY', key, field, 1)
			  end
			  return lock
			end
			"""), "acquire"), in(commands("""
			local tenure = ARGV[1] .. ':' .. ARGV[2]
			if name == 'DEL' and (tonumber(redis.call('HGET', key, tenure) or '') or 0) > 1 then
			  return call('HINCRBY', key, tenure, -1)
			end
			"""), "release", "yield", "cancel"), in(commands("""
			if name == 'HSET' and string.find(field, ':', 1, true) and tonumber(value) then
			  return call('HINCRBY', key, field, value)
			end
			"""), "renew")),

	/** The end of a tenure that did not hold the lock leaves no tombstone. */
	NO_TOMBSTONE(in(commands("""
			if name == 'HMGET' and key == KEYS[1] then
			  memory.lock = call(...)
			  return memory.lock
			elseif name == 'HSET' and field == ARGV[1] and not memory.lock[1] then
			  return 0
			end
			"""), "release", "yield", "cancel")),

	/** A release ends every hold of its client. */
	RELEASES_BY_OWNER(in(commands("""
			if name == 'HMGET' and key == KEYS[1] then
			  local lock = call(...)
			  for _, held in ipairs(redis.pcall('HKEYS', key)) do
			    if string.sub(held, 1, #ARGV[1]) == ARGV[1] then
			      lock[1] = redis.call('HGET', key, held)
			    end
			  end
			  return lock
			end
			"""), "release", "yield", "cancel")),

	/** The repeated last command of a tenure counts as a loss. */
	FORGETS_RELEASES(in("ARGV[6] = ''\n" + commands("""
			if name == 'HSET' and field == ARGV[1] then
			  return call(name, key, field, string.match(value, '^%d+') .. '.5')
			end
			"""), "release", "yield", "cancel")),

	/** A release neither grants the lock to a waiter nor wakes one. */
	NOTIFIES_NOBODY(in(commands("""
			if name == 'ZPOPMIN' then
			  return {}
			end
			"""), "release", "yield", "downgrade", "force_release")),

	/** The release of one reader ends the holds of all readers. */
	READER_ENDS_ALL_SHARES(in(commands("""
			if name == 'HLEN' then
			  local fields = call(...)
			  return type(fields) == 'number' and math.min(fields, 1) or fields
			end
			"""), "release", "yield", "cancel")),

	/** A reader barges past a writer that has waited longer. */
	READER_BARGES_PAST_WRITER(in(commands("""
			if name == 'ZRANGE' then
			  return {}
			end
			"""), "acquire_shared")),

	/** A fair request barges past one that has waited longer. */
	FAIR_REQUEST_BARGES(in(commands("""
			if name == 'ZRANGE' and ARGV[10] == 'f' then
			  return {}
			end
			"""), "acquire")),

	/** A fair request that yields to nobody leaves the queue. */
	FAIR_LEAVES_ITS_TURN(in(commands("""
			if name == 'ZADD' then
			  return 0
			end
			"""), "yield")),

	/** One permit too many can be held. */
	ONE_PERMIT_TOO_MANY(in("""
			ARGV[10] = ARGV[10] + 1
			return original(redis)
			""", "acquire_permit")),

	/** The permit of a dead holder counts after the end of its lease. */
	DEAD_KEEP_PERMIT(in(commands("""
			if name == 'HGETALL' then
			  local lock = call(...)
			  for i = 2, #lock, 2 do
			    lock[i] = string.gsub(lock[i], '^%d+ ', '99999999999999 ')
			  end
			  return lock
			end
			"""), "acquire_permit", "release")),

	/** Only the first waiter is notified if several permits become free at once. */
	NOTIFIES_ONE_OF_SEVERAL(in(commands("""
			if name == 'ZPOPMIN' then
			  memory.notified = (memory.notified or 0) + 1
			  return memory.notified > 1 and {} or call(...)
			end
			"""), "release")),

	/** A dead waiter keeps its queue position. */
	DEAD_KEEP_QUEUE_POSITION(in(commands("""
			if name == 'HGET' and string.sub(field, 1, 2) == 'w:' then
			  local waiter = call(...)
			  return waiter and with_last_request(waiter, micros())
			end
			"""), "acquire", "acquire_shared")),

	/**
	 * A waiter whose last request was sent before the clock was set back keeps its queue
	 * position.
	 */
	KEEPS_POSITION_WHEN_CLOCK_SET_BACK(in(commands("""
			if name == 'HGET' and string.sub(field, 1, 2) == 'w:' then
			  local waiter = call(...)
			  local seen = waiter and tonumber(string.match(waiter, '^%a (%d+)'))
			  return seen and with_last_request(waiter, math.min(seen, micros())) or waiter
			end
			"""), "acquire", "acquire_shared")),

	/** A renewal sets the lease even if the remaining lease is longer. */
	SHORTENS_LEASE(in(commands("""
			if name == 'PTTL' and key == KEYS[1] then
			  return 0
			end
			"""), "renew")),

	/** A renewal restores a lock that has ended. */
	RENEWS_WHAT_HAS_ENDED(in(commands("""
			if name == 'HGET' then
			  local held = call(...)
			  if not held then
			    redis.call('HSET', key, field, '1')
			  end
			  return held or '1'
			end
			"""), "renew")),

	/** Tokens continue from the last token that the server remembers. */
	TOKENS_WITHOUT_CLOCK(in("""
			local last = redis.call('GET', KEYS[2])
			local reply = original(redis)
			if type(reply) ~= 'number' or redis.call('GET', KEYS[2]) == last then
			  return reply
			end
			local base = (last or 0) + 16
			redis.call('SET', KEYS[2], base)
			return reply < 0 and -base or base
			""", "acquire", "acquire_shared")),

	/** A server of a quorum accepts the proposed base of a client without a check. */
	UNCHECKED_BASE(in(commands("""
			if name == 'HMGET' then
			  local known = call(...)
			  for i, name in ipairs({select(3, ...)}) do
			    known[i] = name == 'base' and '0' or known[i]
			  end
			  return known
			end
			"""), "propose", "propose_shared")),

	/** A server of a quorum that has lost its data votes at once. */
	VOTES_AT_ONCE(in("""
			ARGV[1] = 0
			return original(redis)
			""", "join")),

	/** A server of a quorum restores a tenure before it may vote. */
	PUTS_BACK_AT_ONCE(in(commands("""
			if name == 'GET' then
			  return '1'
			end
			"""), "putback"));

	private static final String PACKAGE = "io/lockstarter/redis/";

	private static final String AROUND = """
			local function original(redis)
			%s
			end

			local function micros()
			  local time = redis.call('TIME')
			  return time[1] * 1000000 + time[2]
			end

			local function with_last_request(waiter, when)
			  return (string.gsub(waiter, '^(%%a) %%d+', '%%1 ' .. string.format('%%.0f', when)))
			end

			%s""";

	private final Map<String, String> mistakes;

	@SafeVarargs
	WrongScript(Map<String, String>... mistakes) {
		this.mistakes = new TreeMap<>();
		for (Map<String, String> mistake : mistakes) {
			this.mistakes.putAll(mistake);
		}
	}

	/** Returns one mistake for several scripts. */
	private static Map<String, String> in(String mistake, String... scripts) {
		return Stream.of(scripts).collect(Collectors.toMap(Function.identity(), (script) -> mistake));
	}

	/** Returns a mistake that runs before each command and may replace it. */
	private static String commands(String mistake) {
		return """
				local memory = {}
				local function wrong(call)
				  return function(...)
				    local name, key, field, value = ...
				    %s
				    return call(...)
				  end
				end
				return original({call = wrong(redis.call), pcall = wrong(redis.pcall)})
				""".formatted(mistake);
	}

	/**
	 * Returns the changed scripts.
	 * @return the names of the scripts
	 */
	public Collection<String> scripts() {
		return this.mistakes.keySet();
	}

	/**
	 * Returns the text of a script, with this mistake if it concerns the script.
	 * @param script the name of the script
	 * @return the text
	 */
	public String text(String script) {
		String mistake = this.mistakes.get(script);
		return (mistake != null) ? AROUND.formatted(right(script), mistake) : right(script);
	}

	/**
	 * Returns the text of a script without mistakes.
	 * @param script the name of the script
	 * @return the text
	 */
	public static String right(String script) {
		return LuaScript.of(script).text();
	}

	static String file(String script) {
		return PACKAGE + script + ".lua";
	}

}
