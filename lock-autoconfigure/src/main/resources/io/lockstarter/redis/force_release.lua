--@ time, lock, tenure, share, registration, queue, marks, ending, candidates, grant, turn, pass_on
-- Takes a lock away from a tenure, which may be another client's, and tells it; as if the
-- tenure had not had the lock.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the fence in ms
--      6 c in a cluster
-- Returns what the release script does
local fence = read_end()
local had, failure = take_out()
if had == nil then
  return failure
end
local result = outcome(had, fence[1])
local rest = had and count_rest() or nil
mark_ended(fence[1], false)
if had then
  redis.pcall('PUBLISH', channel(ARGV[1]), '-' .. KEYS[1])
end
if fence[2] then
  pass_on(shared_rest(rest), fence[2])
end
return result
