-- The waiting clients in their order, when the lock has become free. ARGV 7 is c in a cluster, where
-- PUBLISH does not count all subscribers.

-- Whether the queue still contains clients.
local others = false

-- Whether the lock is reserved for a client that polls.
local turn = false

local function put_back(waiter, position)
  redis.pcall('ZADD', KEYS[3], position, waiter)
  redis.call('PEXPIRE', KEYS[3], 10000)
  others = true
end

-- Removes the first living client from the queue. Returns its channel, its queue position, and its
-- registration: mode, in upper case if the lock can be granted by a message, sequence, lease, holder
-- and the time of its last request. A client that may have died since is not granted the lock,
-- because it would keep it for a whole lease.
local function take()
  local first = redis.call('ZPOPMIN', KEYS[3])
  while first[1] do
    local client = client_on(first[1])
    local known = redis.pcall('HMGET', KEYS[4], 'w:' .. client, client)
    local kind, seen, sequence, lease, holder = parse_registration(known[1])
    if not kind then
      return first[1], first[2], 'x'
    end
    if is_alive(seen) then
      if ARGV[7] == 'c' or not is_recent(seen) or highest_ended(known[2]) >= tonumber(sequence) then
        kind = string.lower(kind)
      end
      return first[1], first[2], kind, sequence, lease, holder, seen
    end
    redis.call('HDEL', KEYS[4], 'w:' .. client)
    first = redis.call('ZPOPMIN', KEYS[3])
  end
end

-- Records whether the lock is reserved, if that may have changed.
local function note_turn(noted)
  if turn then
    if redis.pcall('HSET', KEYS[4], 'turn', 1) == 1 then
      keep_clients()
    end
  elseif noted then
    redis.call('HDEL', KEYS[4], 'turn')
  end
end
