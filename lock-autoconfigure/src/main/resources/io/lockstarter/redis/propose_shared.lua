--@ time, lock, tenure, share, readers, registration, queue, answer, ahead, held, marks, fence, base, begin, begin_reading, vote, proposal
-- Takes a lock as a reader on one server of a quorum, under a token base that the client
-- proposes.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 marker
-- ARGV 1 to 10 as the propose script says
-- Returns what the propose script does
local fields, foreign = count_fields()
local answer = foreign or objection()
if answer then
  return answer
end
local place = tonumber(ARGV[7]) or micros()
local fence, shared, own = open_fence(fields, place, proposed, raised)
if not fence then
  return shared
end
if not own then
  return answer_if_too_low(fence) or begin_reading(fence, proposed, shared)
end
return answer_if_others_came(fence, own) or confirm_share(fence, own, raised)
