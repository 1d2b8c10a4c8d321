-- Lets a reader's tenure have the lock.

-- Whether to look at the other readers, which a reader need not know: it forgets dead ones where
-- there are many, by a chance that makes it look at 16 on average, however many there are.
local function is_time_to_look()
  local fields = redis.call('HLEN', KEYS[1])
  return fields > 64 and micros % fields < 16
end

local function begin_reading(base, joins, flagged)
  write_lock(share(millis + ARGV[3], base, ARGV[5]), base, flagged, 'shared', 'lock-starter')
  return expire_lock(joins) or tonumber(base)
end

-- Grants the lock again to a reader with its base.
local function confirm_share(own, base, flagged)
  local deadline = parse_share(own)
  -- Never shorter: this may be a late command.
  local value = share(math.max(tonumber(deadline), millis + ARGV[3]), base, ARGV[5])
  write_lock(value, base, flagged)
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or tonumber(base)
end
