-- Enqueues this client after it has released the lock: ARGV 8 is its wait mode, 9 its mode, 10 the
-- sequence of the tenure that it waits with.

-- An earlier arrival of the same command may already have led to a grant.
local function wait_for_turn(position, known)
  if highest_ended(known[1]) >= tonumber(ARGV[10])
      or type(redis.pcall('HGET', KEYS[1], ARGV[1] .. ':' .. ARGV[10])) == 'string' then
    return
  end
  redis.pcall('ZADD', KEYS[3], position, channel(ARGV[1]))
  redis.call('PEXPIRE', KEYS[3], 10000)
  redis.pcall('HSET', KEYS[4], 'w:' .. ARGV[1], registration(ARGV[9], ARGV[8], ARGV[10]))
  if again then
    redis.pcall('HSET', KEYS[4], 'r:' .. ARGV[1], ARGV[10])
  end
  keep_clients()
end
