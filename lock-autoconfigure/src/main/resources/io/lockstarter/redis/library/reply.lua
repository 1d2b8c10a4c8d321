-- Replies to a request. ARGV 3 is its lease, 5 its holder, 7 its wait mode, empty if the client does
-- not wait.

-- Refuses a request, and registers the client if it waits. Returns the reply: remaining lease in ms,
-- holder, held for ms, queue position and time in microseconds.
local function refuse(mode, position, remaining, since, holder)
  if ARGV[7] == '' then
    -- A demoted master may have missed the release: only a server that accepts writes may refuse.
    redis.call('HDEL', KEYS[1], '')
    position = ''
  else
    redis.call('ZADD', KEYS[3], position, channel(ARGV[1]))
    redis.call('PEXPIRE', KEYS[3], 10000)
    if redis.call('HSET', KEYS[4], 'w:' .. ARGV[1], registration(mode, ARGV[7], ARGV[2])) == 1 then
      keep_clients()
    end
  end
  local held = since and math.max(0, math.floor((micros - since) / 1000)) or 0
  return {remaining, holder, held, position, micros}
end

-- Refuses a request for a held lock, and flags the lock so that its release checks for waiters.
local function refuse_held(lock, mode, position, remaining, since, holder)
  local reply = refuse(mode, position, remaining, since, holder)
  if ARGV[7] ~= '' and not lock[4] then
    redis.call('HSET', KEYS[1], 'waits', 1)
  end
  return reply
end

-- Notifies the holders that another client waits.
local function tell_wanted(holders)
  for _, client in ipairs(holders) do
    if client ~= ARGV[1] then
      redis.pcall('PUBLISH', channel(client), '?' .. KEYS[1])
    end
  end
end

-- Removes the client of a granted tenure from the queue. Returns the reply: its base, or the reason
-- of a refusal.
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

-- Confirms the lock for the tenure that holds it exclusively.
local function confirm(base, flagged)
  if flagged then
    redis.call('HSET', KEYS[1], 'waits', 1)
  end
  -- A late command must not shorten the lease.
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or tonumber(base)
end

-- Returns the reply to a request for a lock that one tenure holds exclusively; nil if it is free.
local function reply_by_holder(lock, flagged, mode, position)
  local base, holder = parse_by(lock[2])
  if lock[1] and base then
    return confirm(base, flagged)
  end
  local fields = base and redis.call('HKEYS', KEYS[1]) or {}
  local number = base and #fields or redis.call('HLEN', KEYS[1])
  if number == 0 then
    return nil
  end
  if number > 3 then
    return {'hash of ' .. number .. ' fields'}
  end
  for _, field in ipairs(fields) do
    local client = client_of(field)
    if client then
      local reply = refuse_held(lock, mode, position, redis.call('PTTL', KEYS[1]), tonumber(base), holder)
      if ARGV[7] ~= '' then
        tell_wanted({client})
      end
      return reply
    end
  end
  return {'hash of another layout'}
end
