--@ time, lock, tenure, share, registration, queue, marks, ending, candidates, grant, turn, pass_on
-- Ends a tenure, whether it is held, unknown, or still on its way, and if others can have the
-- lock then, grants it to those whose turn it is, or wakes them.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the fence in ms
--      6 c in a cluster
--      7 what the client does next: s it stays among the waiters if it is there; r it asks again
--        at once, and nobody need be woken; empty if it leaves
-- Returns 1 released; 2 released before, by an earlier arrival of the same command; 3 it did not
--         hold the lock
local fence = read_end()
local had, failure = take_out()
if had == nil then
  return failure
end
local result = outcome(had, fence[1])
local rest = had and count_rest() or nil
mark_ended(fence[1], had)
if not fence[2] or had and ARGV[7] == 'r' then
  return result
end
if ARGV[7] ~= 's' then
  leave_for_good(result, fence[3])
end
pass_on(shared_rest(rest), fence[2])
return result
