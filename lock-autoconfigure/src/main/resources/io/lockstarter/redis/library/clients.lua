-- What is kept beside the lock while somebody waits or commands may come late, KEYS 4: a hash; for
-- each client its marks; after "w:", if it waits, its registration; after "r:" the highest sequence
-- with which it has asked more than once; and turn, there while the lock is free and kept for the
-- first who asks by itself. ARGV 4 is for how long it is kept, at least.

-- What it says of this client: marks, registration, sequence; then turn, and further fields.
local function read_clients(...)
  return redis.pcall('HMGET', KEYS[4], ARGV[1], 'w:' .. ARGV[1], 'r:' .. ARGV[1], 'turn', ...)
end

-- Whether the tenure was ended before it began.
local function has_ended(known)
  return known[1] and highest_ended(known[1]) >= tonumber(ARGV[2])
end

-- Makes what is written into it last.
local function keep_clients()
  local needed = math.max(ARGV[4], 10000)
  if redis.call('PTTL', KEYS[4]) < needed then
    redis.call('PEXPIRE', KEYS[4], needed)
  end
end
