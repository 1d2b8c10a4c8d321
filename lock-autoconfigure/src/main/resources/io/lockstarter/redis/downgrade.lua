--@ time, lock, tenure, share, registration, queue, marks, ending, candidates, grant, turn, pass_on
-- Turns a tenure that has a lock alone into a reader's, and lets other readers have the lock
-- whose turn it is.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the fence in ms
--      6 c in a cluster
-- Returns 1 it is a reader's; 3 it did not hold the lock
local held, failure = held_value()
if not held then
  return failure or 3
end
local fence = redis.pcall('HMGET', KEYS[2], 'waits', 'base', 'holder')
if not parse_share(held) then
  local deadline = millis() + redis.call('PTTL', KEYS[1])
  -- A full Redis accepts a write that follows one that it accepts.
  redis.call('HDEL', KEYS[1], '')
  redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure,
      share(deadline, tonumber(fence[2]) or micros(), fence[3] or 'unknown'))
end
if fence[1] then
  pass_on(true, fence[1])
end
return 1
