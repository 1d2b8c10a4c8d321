-- The clients, KEYS 4: a hash that exists while clients wait or commands may arrive late. For each
-- client it contains the tombstones; under "w:", if the client waits, its registration; under "r:"
-- the highest sequence of a repeated request. The field turn exists while the lock is free and
-- reserved for the first client that polls. ARGV 4 is the minimum retention of the hash.

-- Returns the tombstones, registration and repeated sequence of this client, then turn and further
-- fields.
local function read_clients(...)
  return redis.pcall('HMGET', KEYS[4], ARGV[1], 'w:' .. ARGV[1], 'r:' .. ARGV[1], 'turn', ...)
end

-- Returns whether the tenure was ended before it began.
local function has_ended(known)
  return known[1] and highest_ended(known[1]) >= tonumber(ARGV[2])
end

-- Extends the expiry of the hash.
local function keep_clients()
  local needed = math.max(ARGV[4], 10000)
  if redis.call('PTTL', KEYS[4]) < needed then
    redis.call('PEXPIRE', KEYS[4], needed)
  end
end
