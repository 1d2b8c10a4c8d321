-- Ends a reader's tenure, or one of which it is not known whether it has the lock, how, or if it
-- is still on its way. If others can have the lock then, grants it to those whose turn it is, or
-- wakes them.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 to 6 as the release script says
--      7 what the client does next: s it stays among the waiters if it is there; r it asks again
--        at once, and nobody need be woken; empty if it leaves
-- Returns what the release script does

--@ foreign, tenure, marks, ending
local result, fence, rest = end_tenure(true, false)
if not result then
  return fence
end
if not fence[2] or result == 1 and ARGV[7] == 'r' then
  return result
end

-- Others may wait.
--@ queue, rest
if ARGV[7] ~= 's' then
  leave_for_good(result, fence[3])
end
local shared = shared_rest(rest)
if shared == nil then
  return result
end
--@ time, share, registration, candidates, grant, turn
give_turn(shared, false, false)
note_waiters(fence[2])
return result
