-- Ends a tenure. If the lock becomes available, grants it to the clients that are next in the queue, or
-- wakes them.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV see the library file arguments
-- Returns 1 released; 2 released before, by an earlier arrival of the same command; 3 the tenure did
--         not hold the lock; 4 one of the last two

--@ arguments
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
local late = ARGV[12] == 'm'
if not late and not lock[2] and tonumber(lock[1] or '') then
  redis.call('DEL', KEYS[1])
  return 1
end

-- The tenure is a reader's, clients may wait, or commands may arrive late.
--@ lock, clients, ending
local result, known, rest = end_tenure(lock, true, late)
if not result then
  return known
end
if not known or result == 1 and (not lock[2] or ARGV[11] == 'r') then
  return result
end
--@ time, base, share, readers, queue, registration, turn
if ARGV[11] ~= 's' then
  leave_for_good(result, known[2])
end
local shared = shared_rest(rest)
if shared == nil then
  return result
end
give_turn(shared, false, false)
note_turn(known[4])
return result
