-- Ends a tenure, if it has the lock yet. If others can have the lock then, grants it to those
-- whose turn it is, or wakes them.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of what is kept beside the lock, in ms
--      6 a if this command has been sent before, else empty
--      7 c in a cluster
--      8 what the client does next: s it stays among the waiters if it is there; r it asks again
--        at once, and nobody need be woken; empty if it leaves
--      9 m if an acquire of the tenure may arrive later, so that its end is to be marked
-- Returns 1 released; 2 released before, by an earlier arrival of the same command; 3 it did not
--         have the lock; 4 one of the last two

--@ tenure
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
if ARGV[9] == '' and not lock[2] and tonumber(lock[1] or '') then
  redis.call('DEL', KEYS[1])
  return 1
end

-- It is a reader's, or others may wait, or commands may come late.
--@ foreign, marks, clients, repeats, ending
local result, known, rest = end_tenure(lock, true, ARGV[9] == 'm')
if not result then
  return known
end
if not known or result == 1 and (not lock[2] or ARGV[8] == 'r') then
  return result
end
--@ time, share, registration, queue, rest
if ARGV[8] ~= 's' then
  leave_for_good(result, known[2])
end
local shared = shared_rest(rest)
if shared == nil then
  return result
end
--@ lock, base, readers, candidates, grant, shares, turn
give_turn(shared, false, false)
note_turn(known[4])
return result
