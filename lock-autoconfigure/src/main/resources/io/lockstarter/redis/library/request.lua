-- Replies to a request that is not granted at once.

-- Refuses a request, and registers the client if it waits. Returns the reply: remaining lease in ms,
-- holder, held for ms, queue position and time in microseconds.
local function refuse(mode, position, remaining, since, holder)
  if WAIT_MODE == '' then
    -- A demoted master may have missed the release: only a server that accepts writes may refuse.
    redis.call('HDEL', KEYS[1], '')
    position = ''
  else
    redis.call('ZADD', KEYS[3], position, channel(CLIENT))
    redis.call('PEXPIRE', KEYS[3], 10000)
    if redis.call('HSET', KEYS[4], 'w:' .. CLIENT, registration(mode, SEQUENCE)) == 1 then
      keep_clients()
    end
  end
  local held = since and math.max(0, math.floor((micros - since) / 1000)) or 0
  return {remaining, holder, held, position, micros}
end

-- Refuses a request for a held lock, and flags the lock so that its release checks for waiters.
local function refuse_held(lock, mode, position, remaining, since, holder)
  local reply = refuse(mode, position, remaining, since, holder)
  if WAIT_MODE ~= '' and not lock[4] then
    redis.call('HSET', KEYS[1], 'waits', 1)
  end
  return reply
end

-- Notifies the holders that another client waits.
local function notify_holders(holders)
  for _, client in ipairs(holders) do
    if client ~= CLIENT then
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
  if redis.call('PTTL', KEYS[1]) < tonumber(LEASE) then
    redis.call('PEXPIRE', KEYS[1], LEASE)
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
      if WAIT_MODE ~= '' then
        notify_holders({client})
      end
      return reply
    end
  end
  return {'hash of another layout'}
end

-- Removes the tombstones of clients that no longer use the lock, and waiting clients that have died, if
-- there are many of them and this client is new.
local function forget_the_gone(known)
  local fields = not (known[1] or known[2]) and redis.call('HLEN', KEYS[4]) or 0
  if fields <= 69 or fields <= 69 + redis.call('ZCARD', KEYS[3]) then
    return
  end
  local all = redis.call('HGETALL', KEYS[4])
  for i = 1, #all, 2 do
    local _, seen = parse_registration(string.sub(all[i], 1, 2) == 'w:' and all[i + 1])
    if #all[i] >= 32 and not (seen and is_alive(seen)) then
      redis.call('HDEL', KEYS[4], all[i])
    end
  end
end

-- Refuses the request if another client is next, else returns nil.
local function reply_if_behind(mode, position, lock, shared)
  local client, seen, waiting = first_before(position, function(kind)
    return mode == 'r' and string.lower(kind) == 'r'
  end)
  if not client then
    return nil
  end
  -- This client retries when the other client would count as dead.
  local alive = math.max(1, math.ceil((seen + 2000000 - micros) / 1000))
  if shared then
    local remaining = math.min(redis.call('PTTL', KEYS[1]), alive)
    local base, holder = parse_by(lock[2])
    return refuse_held(lock, mode, position, remaining, tonumber(base), holder or 'unknown')
  end
  -- The lock is free, but the other client may not have been notified.
  redis.pcall('PUBLISH', channel(client), KEYS[1])
  return refuse(mode, position, alive, micros, waiting)
end
