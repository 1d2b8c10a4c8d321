-- Answers to a request. ARGV 3 is its lease, 4 the retention of the fence, 5 its holder, 6 how
-- the client waits, empty if it does not.

-- Registers who waits. Returns the answer: how much longer the lock is held, in ms, by whom
-- and since when, in ms too, the place and the time in microseconds.
local function refuse(mode, place, waits, fence, remaining, since, holder)
  if ARGV[6] == '' then
    -- A former master may have missed the release: only a server that takes writes may refuse.
    redis.call('HDEL', KEYS[1], '')
    place = ''
  else
    redis.call('ZADD', KEYS[3], place, channel(ARGV[1]))
    redis.call('PEXPIRE', KEYS[3], 10000)
    redis.call('HSET', KEYS[2], 'waits', waits, 'w:' .. ARGV[1], registration(mode, ARGV[6], ARGV[2]))
    if not fence[1] then
      redis.call('PEXPIRE', KEYS[2], ARGV[4] + math.max(0, remaining))
    end
  end
  local held = since and math.max(0, math.floor((micros - since) / 1000)) or 0
  return {remaining, holder or 'unknown', held, place, micros}
end

-- Tells those who have the lock that they are waited for.
local function tell_wanted(holders)
  for _, client in ipairs(holders) do
    if client ~= ARGV[1] then
      redis.pcall('PUBLISH', channel(client), '?' .. KEYS[1])
    end
  end
end

-- The answer to one who has begun a tenure and waits no more: its base, or why it was refused.
local function granted(base, waits)
  if type(base) ~= 'number' or not waits then
    return base
  end
  if waits == 'turn' then
    redis.call('HSET', KEYS[2], 'waits', 1)
  end
  leave_queue()
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or base
end
