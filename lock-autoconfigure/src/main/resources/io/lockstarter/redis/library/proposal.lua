-- A proposal to a server of a quorum: ARGV 9 the first token base that the client proposes, 10
-- how far, in ms, it may be off this server's clock, 11 y if a base that the tenure was granted
-- before may be raised to it.

local proposed = tonumber(ARGV[9])
local reach = ARGV[10] * 1000

-- To what a base granted before is raised.
local raised = ARGV[11] == 'y' and proposed or 0

-- Why the server cannot judge the proposal, nil if it can.
local function objection()
  local delay = delay_of_vote()
  if delay then
    return {'no vote', delay, micros}
  end
  if proposed > micros + reach then
    return {'ahead', 0, micros}
  end
end

-- The answer to a proposal that is too low, nil if it is not: then its base is noted.
local function answer_if_too_low(known)
  local lowest = lowest_base(known)
  if not lowest then
    return {'fence without a usable base'}
  end
  -- A server that has forgotten its counter last gave a base more than twice the reach before
  -- now by its clock, and no more than the reach ahead of it.
  if proposed < (known[5] and lowest or micros - reach + 16) then
    return {'counter', known[5] and lowest or micros, micros}
  end
  write_counter(proposed, known[6])
end
