-- Takes a lock as a reader on one server of a quorum, under a token base that the client
-- proposes.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 marker
-- ARGV 1 to 10 as the propose script says
-- Returns what the propose script does
local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) == 'table' then
  --@ foreign
  return answer_to(fields)
end
--@ time, tenure, lock, share, marks, fence, base, begin, begin_reading, vote, proposal
local answer = objection()
if answer then
  return answer
end
local shared = fields > 1 and is_shared()
local looks = shared and is_time_to_look(fields)
local fence = not looks and (shared or fields == 0) and read_fence()
local own = fence and shared and redis.call('HGET', KEYS[1], tenure)
if fence and not own and is_plain(fence) then
  return answer_if_too_low(fence) or begin_reading(fence, proposed, shared)
end

-- It has the lock already, or somebody else has it, or may wait for it.
--@ readers, registration, queue, answer, ahead, held, crowd, open
local place = tonumber(ARGV[7]) or micros
if not own then
  fence, shared, own = open_fence(fields, shared, looks, fence, place, proposed, raised)
end
if not fence then
  return shared
end
if own then
  local _, first = parse_share(own)
  local base, last = tonumber(first), tonumber(fence[2]) or 0
  if raised > base and base ~= last and raised < last + 16 then
    -- Other readers came later.
    return {'counter', last + 16, micros}
  end
  return confirm_share(fence, own, raised)
end
return answer_if_too_low(fence) or granted(begin_reading(fence, proposed, shared), fence[4])
