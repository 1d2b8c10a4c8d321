-- Ends a tenure. If the lock becomes available, grants it to the clients that are next in the queue, or
-- wakes them.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the waiters and clients, in ms
--      6 a if this command was sent before, else empty
--      7 c in a cluster
--      8 next step of the client: s it keeps its queue position if it has one; r it sends another
--        request at once, so that no client has to be woken; empty if it leaves
--      9 m if an acquire of the tenure may arrive later, so that its end leaves a tombstone
-- Returns 1 released; 2 released before, by an earlier arrival of the same command; 3 the tenure did
--         not hold the lock; 4 one of the last two

--@ tenure
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
if ARGV[9] == '' and not lock[2] and tonumber(lock[1] or '') then
  redis.call('DEL', KEYS[1])
  return 1
end

-- The tenure is a reader's, clients may wait, or commands may arrive late.
--@ foreign, clients, ending
local result, known, rest = end_tenure(lock, true, ARGV[9] == 'm')
if not result then
  return known
end
if not known or result == 1 and (not lock[2] or ARGV[8] == 'r') then
  return result
end
--@ time, share, queue, after_end
if ARGV[8] ~= 's' then
  leave_for_good(result, known[2])
end
local shared = shared_rest(rest)
if shared == nil then
  return result
end
--@ lock, base, readers, turn
give_turn(shared, false, false)
note_turn(known[4])
return result
