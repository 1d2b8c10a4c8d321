-- Those who wait, one after the other, when the lock has become free. ARGV 6 is c in a cluster,
-- where PUBLISH does not count all subscribers.

-- Whether clients are left among the waiters.
local others = false

-- What the fence says of the waiters that are left: turn if the lock is kept for one that asks
-- by itself.
local waits = 1

-- The lowest token base that may be given out.
local lowest = nil

local function put_back(waiter, place)
  redis.pcall('ZADD', KEYS[3], place, waiter)
  redis.call('PEXPIRE', KEYS[3], 10000)
  others = true
end

-- Takes the first client that is alive from the waiters. Returns its channel, its place, and
-- with what it waits: mode, in upper case if it can be granted the lock, sequence, lease and
-- holder.
local function take()
  local first = redis.call('ZPOPMIN', KEYS[3])
  while first[1] do
    local client = client_on(first[1])
    local known = redis.pcall('HMGET', KEYS[2], 'w:' .. client, client, 'base')
    local kind, seen, sequence, lease, holder = parse_registration(known[1])
    if not kind then
      return first[1], first[2], 'x'
    end
    if is_alive(seen) then
      lowest = lowest or (tonumber(known[3]) or 0) + 16
      if ARGV[6] == 'c' or highest_ended(known[2]) >= tonumber(sequence) then
        kind = string.lower(kind)
      end
      return first[1], first[2], kind, sequence, lease, holder
    end
    redis.call('HDEL', KEYS[2], 'w:' .. client)
    first = redis.call('ZPOPMIN', KEYS[3])
  end
end

-- Notes whether clients are left among the waiters, if the fence says otherwise.
local function note_waiters(noted)
  if not others then
    redis.call('HDEL', KEYS[2], 'waits')
  elseif waits ~= 1 or noted ~= '1' then
    redis.pcall('HSET', KEYS[2], 'waits', waits)
  end
end
