-- A proposal to a server of a quorum.

local proposed = tonumber(ARGV[14])
local reach = ARGV[15] * 1000

-- The base to which a base granted before is raised.
local raised = ARGV[16] == 'y' and proposed or 0

-- Returns the reply if the server cannot accept any proposal, else nil.
local function objection()
  local delay = delay_of_vote()
  if delay then
    return {'no vote', delay, micros}
  end
  if proposed > micros + reach then
    return {'ahead', 0, micros}
  end
end

-- Returns the reply to a proposal that is too low. Otherwise records its base and returns nil.
local function reply_if_too_low(known)
  local lowest = lowest_base(known)
  if not lowest then
    return {'fence without a usable base'}
  end
  -- A server that has lost its counter granted its last base before now minus twice the maximum
  -- difference by its clock, and at most the maximum difference ahead of its clock.
  if proposed < (known[5] and lowest or micros - reach + 16) then
    return {'counter', known[5] and lowest or micros, micros}
  end
  write_counter(proposed, known[6])
end
