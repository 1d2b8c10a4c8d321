-- Downgrades an exclusive tenure to a reader's, and grants the lock to the readers that are next
-- in the queue.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV see the library file arguments
-- Returns 1 the tenure is a reader's; 3 the tenure did not hold the lock

--@ arguments, lock, share
local held, failure = held_value(tenure)
if not held then
  return failure or 3
end
local lock = read_lock(tenure)
local reads = parse_share(held)
if reads and not lock[4] then
  return 1
end
--@ time
if not reads then
  local base, holder = parse_by(lock[2])
  -- A full Redis accepts a write that follows one that it accepts.
  redis.call('HDEL', KEYS[1], '')
  redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure,
      share(millis + redis.call('PTTL', KEYS[1]), base or micros, holder or 'unknown'))
end
if not lock[4] then
  return 1
end

-- Clients may wait.
--@ base, readers, clients, queue, registration, turn
give_turn(true, false, false)
note_turn(false)
return 1
