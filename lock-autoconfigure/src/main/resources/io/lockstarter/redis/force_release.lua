-- Force-releases a tenure, which may be another client's, and notifies its client. A release by that
-- client then finds that the tenure does not hold the lock.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV see the library file arguments
-- Returns the same as the release script

--@ arguments, lock, clients, ending
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
local result, known, rest = end_tenure(lock, false, true)
if not result then
  return known
end
--@ time, base, share, readers, queue, registration, turn
if result == 1 then
  redis.pcall('PUBLISH', channel(CLIENT), '-' .. KEYS[1])
end
if not known or result == 1 and not lock[2] then
  return result
end
local shared = shared_rest(rest)
if shared == nil then
  return result
end
give_turn(shared, false, false)
note_turn(known[4])
return result
