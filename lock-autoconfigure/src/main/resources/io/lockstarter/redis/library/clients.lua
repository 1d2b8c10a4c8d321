-- The clients, KEYS 4: a hash that exists while clients wait or commands may arrive late, and that is kept
-- for the retention at least. For each client it contains the tombstones; under "w:", if the client
-- waits, its registration; under "r:" the highest sequence of a repeated request. The field turn exists
-- while the lock is free and reserved for the first client that polls.
--
-- The tombstones of a client list its ended tenures: the highest sequence, plus .5 if that tenure
-- did not hold the lock, followed by the latest other sequences that were released.

local function highest_ended(tombstones)
  return tonumber(string.match(tombstones or '0', '^%S+'))
end

-- Returns whether a tenure held the lock when it was ended.
local function was_released(tombstones, sequence)
  return string.find(' ' .. (tombstones or '') .. ' ', ' ' .. sequence .. ' ', 1, true) ~= nil
end

-- Returns the tombstones, registration and repeated sequence of this client, then turn and further
-- fields.
local function read_clients(...)
  return redis.pcall('HMGET', KEYS[4], CLIENT, 'w:' .. CLIENT, 'r:' .. CLIENT, 'turn', ...)
end

-- Returns whether the tenure was ended before it began.
local function has_ended(known)
  return known[1] and highest_ended(known[1]) >= tonumber(SEQUENCE)
end

-- Extends the expiry of the hash.
local function keep_clients()
  local needed = math.max(RETENTION, 10000)
  if redis.call('PTTL', KEYS[4]) < needed then
    redis.call('PEXPIRE', KEYS[4], needed)
  end
end

-- Returns whether a request of the tenure was repeated, by the fields of the client.
local function is_repeated(known)
  return tonumber(known[3] or 0) >= tonumber(SEQUENCE)
end

-- Records that the end of this tenure has to leave a tombstone, because an acquire may arrive later.
local function note_repeat()
  local field = 'r:' .. CLIENT
  if again and tonumber(redis.call('HGET', KEYS[4], field) or 0) < tonumber(SEQUENCE) then
    redis.call('HSET', KEYS[4], field, SEQUENCE)
    keep_clients()
  end
end
