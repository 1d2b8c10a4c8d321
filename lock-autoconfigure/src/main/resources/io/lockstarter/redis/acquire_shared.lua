-- Takes a lock as a reader, together with others, or confirms that.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 to 7 as the acquire script says
-- Returns what the acquire script does
local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) == 'table' then
  --@ foreign
  return answer_to(fields)
end
--@ time, tenure, lock, share, marks, fence, base, begin, begin_reading
local shared = fields > 1 and is_shared()
local looks = shared and is_time_to_look(fields)
local fence = not looks and (shared or fields == 0) and read_fence()
local own = fence and shared and redis.call('HGET', KEYS[1], tenure)
if fence and not own and is_plain(fence) then
  return begin_reading(fence, next_base(fence), shared)
end

-- It has the lock already, or somebody else has it, or may wait for it.
--@ readers, registration, queue, answer, ahead, held, crowd, open
local place = tonumber(ARGV[7]) or micros
if not own then
  fence, shared, own = open_fence(fields, shared, looks, fence, place, micros, 0)
end
if not fence then
  return shared
end
if own then
  return confirm_share(fence, own, 0)
end
return granted(begin_reading(fence, next_base(fence), shared), fence[4])
