package io.lockstarter.verification.model;

/**
 * The scripts of the protocol, or of a variant of it.
 *
 * @param acquire takes a lock
 * @param release ends a tenure
 * @param renew makes tenures last
 */
record Scripts(Script acquire, Script release, Script renew) {

	static Scripts of(Variant variant) {
		Script acquire = Script.load("acquire");
		Script release = Script.load("release");
		Script renew = Script.load("renew");
		return switch (variant) {
			case COUNTS_UP_AND_DOWN -> new Scripts(
					acquire
						.with("redis.call('HSET', KEYS[1], tenure, '1')", "redis.call('HINCRBY', KEYS[1], tenure, 1)")
						.with("  if holding == tenure then\n",
								"  if holding == tenure then\n    redis.call('HINCRBY', KEYS[1], tenure, 1)\n"),
					release
						.with("local held = redis.pcall(intent == 'd' and 'HGET' or 'HDEL', KEYS[1], tenure)",
								"local held = redis.pcall('HGET', KEYS[1], tenure)\n" + "if intent ~= 'd' then\n"
										+ "  if held and redis.call('HINCRBY', KEYS[1], tenure, -1) == 0 then\n"
										+ "    redis.call('HDEL', KEYS[1], tenure)\n  end\n"
										+ "  held = held and 1 or 0\nend")
						.with("    if fields == 1 then\n      -- The last",
								"    if redis.call('HGET', KEYS[1], 'shared') and fields == 1 then\n      -- The last"),
					renew);
			case RELEASES_BY_OWNER -> new Scripts(acquire, release.with(
					"local held = redis.pcall(intent == 'd' and 'HGET' or 'HDEL', KEYS[1], tenure)",
					"for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do\n"
							+ "  if string.sub(field, 1, 33) == ARGV[1] .. ':' then\n    tenure = field\n  end\nend\n"
							+ "local held = redis.pcall(intent == 'd' and 'HGET' or 'HDEL', KEYS[1], tenure)"),
					renew);
			case NO_MARK_OF_THE_END ->
				new Scripts(acquire, release.with("  if marks ~= (fence[1] or '') then", "  if held == 1 then"), renew);
			case FORGETS_RELEASES -> new Scripts(acquire,
					release
						.with("marks = highest .. ' ' .. ARGV[2] .. string.sub(marks, #highest + 1)", "marks = marks")
						.with("marks = ARGV[2] .. (given_up and '' or '.5')", "marks = ARGV[2] .. '.5'"),
					renew);
			case TOKENS_WITHOUT_CLOCK ->
				new Scripts(acquire.with("local base = math.max(micros, lowest)", "local base = lowest"),
						release.with("local base = math.max(micros, lowest)", "local base = lowest"), renew);
			case REPEATS_TOKENS -> new Scripts(acquire, release,
					renew.with("math.max(now(), (tonumber(last[1]) or 0) + 16, (tonumber(last[2]) or 0) + 1)",
							"(tonumber(last[1]) or 0)"));
			case RENEWS_WHAT_HAS_ENDED -> new Scripts(acquire, release,
					renew
						.with("  local held = redis.pcall('HGET', lock, tenure)\n",
								"  local held = redis.pcall('HGET', lock, tenure) or count\n")
						.with("      if held ~= count then", "      if true then"));
			case SHORTENS_LEASE -> new Scripts(acquire, release,
					renew.with("if lease > 0 and redis.call('PTTL', lock) < lease then", "if lease > 0 then"));
			case READER_ENDS_ALL_SHARES -> new Scripts(acquire,
					release.with("    if fields == 1 then\n      -- The last", "    if true then\n      -- The last"),
					renew);
			case READER_PASSES_WRITER ->
				new Scripts(acquire.with("if fence[5] and mode ~= 'x' then", "if fence[5] and mode == 'f' then"),
						release, renew);
			case FAIR_IS_OVERTAKEN ->
				new Scripts(acquire.with("if fence[5] and mode ~= 'x' then", "if fence[5] and mode == 'r' then"),
						release, renew);
			case DEAD_KEEP_THEIR_PLACE ->
				new Scripts(acquire.with("if not kind or math.abs(micros - seen) > 2000000 then", "if not kind then"),
						release, renew);
			default -> new Scripts(acquire, release, renew);
		};
	}

}
