-- Takes a lock away from a tenure, which may be another client's, and tells it; as if the
-- tenure had not had the lock.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the fence in ms
--      6 c in a cluster
-- Returns what the release script does

--@ foreign, tenure, marks, ending
local result, fence, rest = end_tenure(false, false)
if not result then
  return fence
end
--@ queue, rest
if result == 1 then
  redis.pcall('PUBLISH', channel(ARGV[1]), '-' .. KEYS[1])
end
local shared = fence[2] and shared_rest(rest)
if not fence[2] or shared == nil then
  return result
end
--@ time, share, registration, candidates, grant, turn
give_turn(shared, false, false)
note_waiters(fence[2])
return result
