-- Takes a lock on one server of a quorum, under a token base that the client proposes.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 marker
-- ARGV 1 to 7 as the acquire script says
--      8 to 10 the proposal
-- Returns what the acquire script does, or
--         {'counter', base, time}     the proposed base is too low, this one would not be
--         {'ahead', 0, time}          the proposed base is too far ahead of this server's clock
--         {'no vote', ms or -1, time}  this server may not vote yet, or has no marker
local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) == 'table' then
  --@ foreign
  return answer_to(fields)
end
--@ time, tenure, marks, fence, base, begin, begin_alone, vote, proposal
local answer = objection()
if answer then
  return answer
end
local fence = fields == 0 and read_fence()
if fence and is_plain(fence) then
  return answer_if_too_low(fence) or begin_alone(fence, proposed)
end

-- Somebody has the lock, or may wait for it.
--@ lock, share, readers, registration, queue, answer, ahead, held, crowd, free
local place = tonumber(ARGV[7]) or micros
fence, answer = free_fence(fields, fence, 'x', place, proposed, raised)
return fence and (answer_if_too_low(fence) or granted(begin_alone(fence, proposed), fence[4])) or answer
