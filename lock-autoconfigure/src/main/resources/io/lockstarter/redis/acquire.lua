-- Takes a lock that excludes all others, or confirms it if the same tenure has it already.
--
-- A line that begins with --@ stands for files of the library, which are put in its place.
--
-- KEYS 1 lock, 2 fence, 3 waiters: as the library says in lock, fence and queue
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 lease in ms
--      4 retention of the fence in ms
--      5 holder, as shown to others
--      6 how the client waits: w it is to be woken, g the lock may be granted to the tenure by
--        a message, p it hears no messages; empty if it does not wait
--      7 place among the waiters, empty if it is to get one
-- Returns base                   granted: the first of 16 token bases
--         -base                  granted, and other clients wait
--         {remaining lease in ms, holder, held for ms, place or '', time in microseconds}
--                                refused
--         0                      this tenure was ended before it began
--         {what}                 the key holds something that is not a lock
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
local place = tonumber(ARGV[7]) or micros
local free, answer = free_fence(fields, fence, 'x', place, micros, 0)
return free and granted(begin_alone(free, next_base(free)), free[4]) or answer
