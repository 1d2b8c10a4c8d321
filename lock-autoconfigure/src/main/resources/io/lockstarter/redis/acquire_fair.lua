-- Takes a lock that excludes all others, in the order in which they have begun to wait.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 to 7 as the acquire script says
--      8 for how long the client has waited without a place, in microseconds
-- Returns what the acquire script does
local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) == 'table' then
  --@ foreign
  return answer_to(fields)
end
--@ time, tenure, marks, fence, base, begin, begin_alone
local fence = fields == 0 and read_fence()
if fence and is_plain(fence) then
  return begin_alone(fence, next_base(fence))
end

-- Somebody has the lock, or may wait for it.
--@ lock, share, readers, registration, queue, answer, ahead, held, crowd, free
local place = tonumber(ARGV[7]) or micros - ARGV[8]
local free, answer = free_fence(fields, fence, 'f', place, micros, 0)
return free and granted(begin_alone(free, next_base(free)), free[4]) or answer
