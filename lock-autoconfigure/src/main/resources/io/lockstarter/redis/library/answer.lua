-- Answers to a request. ARGV 3 is its lease, 5 its holder, 7 how the client waits, empty if it
-- does not.

-- Registers who waits. Returns the answer: how much longer the lock is held, in ms, by whom
-- and since when, in ms too, the place and the time in microseconds.
local function refuse(mode, place, remaining, since, holder)
  if ARGV[7] == '' then
    -- A former master may have missed the release: only a server that takes writes may refuse.
    redis.call('HDEL', KEYS[1], '')
    place = ''
  else
    redis.call('ZADD', KEYS[3], place, channel(ARGV[1]))
    redis.call('PEXPIRE', KEYS[3], 10000)
    if redis.call('HSET', KEYS[4], 'w:' .. ARGV[1], registration(mode, ARGV[7], ARGV[2])) == 1 then
      keep_clients()
    end
  end
  local held = since and math.max(0, math.floor((micros - since) / 1000)) or 0
  return {remaining, holder, held, place, micros}
end

-- The same while somebody has the lock, who is to look who waits.
local function refuse_held(lock, mode, place, remaining, since, holder)
  local answer = refuse(mode, place, remaining, since, holder)
  if ARGV[7] ~= '' and not lock[4] then
    redis.call('HSET', KEYS[1], 'waits', 1)
  end
  return answer
end

-- Tells those who have the lock that they are waited for.
local function tell_wanted(holders)
  for _, client in ipairs(holders) do
    if client ~= ARGV[1] then
      redis.pcall('PUBLISH', channel(client), '?' .. KEYS[1])
    end
  end
end

-- The answer to one who has begun a tenure, if others waited, and who waits no more: its base, or
-- why it was refused.
local function granted(base, known, waited)
  if type(base) ~= 'number' or not waited then
    return base
  end
  if known[4] then
    redis.call('HDEL', KEYS[4], 'turn')
  end
  leave_queue()
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or base
end
