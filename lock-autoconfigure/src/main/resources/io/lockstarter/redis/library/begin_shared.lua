-- Grants the lock to a reader.

-- Returns whether to remove expired readers. That is necessary only if there are many. It happens at
-- random, so that a request inspects 16 readers on average, however many there are.
local function is_time_to_inspect()
  local fields = redis.call('HLEN', KEYS[1])
  return fields > 64 and micros % fields < 16
end

local function begin_reading(base, joins, flagged)
  write_lock(share(millis + LEASE, base, HOLDER), base, flagged, 'shared', 'lock-starter')
  return expire_lock(joins) or tonumber(base)
end

-- Confirms the share of a reader with its base.
local function confirm_share(own, base, flagged)
  local deadline = parse_share(own)
  -- A late command must not shorten the lease.
  local value = share(math.max(tonumber(deadline), millis + LEASE), base, HOLDER)
  write_lock(value, base, flagged)
  if redis.call('PTTL', KEYS[1]) < tonumber(LEASE) then
    redis.call('PEXPIRE', KEYS[1], LEASE)
  end
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or tonumber(base)
end
