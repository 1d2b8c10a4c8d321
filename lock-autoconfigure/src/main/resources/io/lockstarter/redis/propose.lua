--@ time, lock, tenure, share, readers, registration, queue, answer, ahead, held, marks, fence, base, begin, begin_alone, vote, proposal
-- Takes a lock on one server of a quorum, under a token base that the client proposes.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 marker
-- ARGV 1 to 7 as the acquire script says
--      8 to 10 the proposal
-- Returns what the acquire script does, or
--         {'counter', base, time}     the proposed base is too low, this one would not be
--         {'ahead', 0, time}          the proposed base is too far ahead of this server's clock
--         {'no vote', ms or -1, time}  this server may not vote yet, or has no marker
local fields, foreign = count_fields()
local answer = foreign or objection()
if answer then
  return answer
end
local place = tonumber(ARGV[7]) or micros()
local fence
fence, answer = free_fence(fields, 'x', place, proposed, raised)
return fence and (answer_if_too_low(fence) or begin_alone(fence, proposed)) or answer
