-- Ends a tenure that has had the lock alone from its beginning, if it has it yet. If others can
-- have the lock then, grants it to those whose turn it is, or wakes them.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the fence in ms
--      6 c in a cluster
--      7 r if the client asks again at once, and nobody need be woken; empty if it leaves
-- Returns 1 released; 2 released before, by an earlier arrival of the same command; 3 it did not
--         have the lock

--@ foreign, tenure, marks, ending
local result, fence = end_tenure(true, true)
if not result then
  return fence
end
if not fence[2] or result == 1 and ARGV[7] == 'r' then
  return result
end

-- Others may wait.
--@ queue, rest
leave_for_good(result, fence[3])
local shared = shared_rest(nil)
if shared == nil then
  return result
end
--@ time, share, registration, candidates, grant, turn
give_turn(shared, false, false)
note_waiters(fence[2])
return result
