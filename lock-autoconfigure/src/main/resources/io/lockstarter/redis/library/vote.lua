-- Permission of this server of a quorum to vote. KEYS 5 is its marker: the time in microseconds from
-- which the server may vote.

-- Returns the time in ms until the server may vote, -1 if it has no marker, nil if it may vote now.
local function delay_of_vote()
  local from = tonumber(redis.call('GET', KEYS[5]) or '')
  if from and from <= micros then
    return nil
  end
  return from and math.ceil((from - micros) / 1000) or -1
end
