--@ time, lock, tenure, share, readers, registration, queue, answer, ahead, held, marks, fence, base, begin, begin_reading
-- Takes a lock as a reader, together with others, or confirms that.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 to 7 as the acquire script says
-- Returns what the acquire script does
local fields, foreign = count_fields()
if not fields then
  return foreign
end
local place = tonumber(ARGV[7]) or micros()
local fence, shared, own = open_fence(fields, place, micros(), 0)
if not fence then
  return shared
end
return own and confirm_share(fence, own, 0) or begin_reading(fence, next_base(fence), shared)
