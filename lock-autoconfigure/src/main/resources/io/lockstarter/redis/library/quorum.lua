-- KEYS 5 is the marker of a server of a quorum: the time in microseconds from which the server may vote.
--
-- The counter of the server is in KEYS 4, which is also KEYS 2 there. Its fields are base, the
-- highest token base that was granted; top, after a tenure was restored, the highest base that this
-- server may have lost; and kept, the time until which the counter is kept at least.

local function read_counter()
  return read_clients('base', 'kept', 'top')
end

-- Returns the lowest base that may be granted, which is above the last one. Returns nil if the counter
-- holds a foreign value, which may be too large for exact arithmetic.
local function lowest_base(known)
  local last = tonumber(known[5] or 0)
  return last and last <= 9007199254740960 and math.max(last + 16, (tonumber(known[7]) or 0) + 1) or nil
end

-- Records the base of the tenure, and extends the expiry of the counter if necessary.
local function write_counter(base, kept)
  local needed = millis + LEASE + RETENTION
  if (tonumber(kept) or 0) >= needed then
    redis.call('HSET', KEYS[2], 'base', string.format('%.0f', base))
    return
  end
  -- An eighth of the retention is added, so that the expiry is not extended on every call.
  local due = math.floor(needed + RETENTION / 8)
  redis.call('HSET', KEYS[2], 'base', string.format('%.0f', base), 'kept', due)
  redis.call('PEXPIREAT', KEYS[2], due)
end

-- Returns whether the tenure may begin if the lock is free and has no waiters: the tenure has not ended,
-- and it is not time to remove old clients. A counter without a base is new.
local function is_plain(known)
  return not known[4] and not has_ended(known) and (known[1] or not known[5])
end

-- Returns the time in ms until the server may vote, -1 if it has no marker, nil if it may vote now.
local function delay_of_vote()
  local from = tonumber(redis.call('GET', KEYS[5]) or '')
  if from and from <= micros then
    return nil
  end
  return from and math.ceil((from - micros) / 1000) or -1
end
