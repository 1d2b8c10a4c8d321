-- Turns a tenure that has a lock alone into a reader's, and lets other readers have the lock
-- whose turn it is.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the fence in ms
--      6 c in a cluster
-- Returns 1 it is a reader's; 3 it did not hold the lock

--@ foreign, tenure, value, share
local held, failure = held_value()
if not held then
  return failure or 3
end
local fence = redis.pcall('HMGET', KEYS[2], 'waits', 'base', 'holder')
local reads = parse_share(held)
if reads and not fence[1] then
  return 1
end
--@ time
if not reads then
  local deadline = millis + redis.call('PTTL', KEYS[1])
  -- A full Redis accepts a write that follows one that it accepts.
  redis.call('HDEL', KEYS[1], '')
  redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure,
      share(deadline, tonumber(fence[2]) or micros, fence[3] or 'unknown'))
end
if not fence[1] then
  return 1
end

-- Others may wait.
--@ registration, marks, queue, ending, candidates, grant, turn
give_turn(true, false, false)
note_waiters(fence[1])
return 1
