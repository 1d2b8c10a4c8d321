--@ time, lock, tenure, share, readers, registration, queue, answer, ahead, held, marks, fence, base, begin, begin_alone
-- Takes a lock that excludes all others, in the order in which they have begun to wait.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 to 7 as the acquire script says
--      8 for how long the client has waited without a place, in microseconds
-- Returns what the acquire script does
local fields, foreign = count_fields()
if not fields then
  return foreign
end
local place = tonumber(ARGV[7]) or micros() - ARGV[8]
local fence, answer = free_fence(fields, 'f', place, micros(), 0)
return fence and begin_alone(fence, next_base(fence)) or answer
