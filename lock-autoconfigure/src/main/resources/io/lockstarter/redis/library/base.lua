-- The fence, KEYS 2: the last token base that was granted for any lock of its slot. Never expires.
--
-- A number in an argument or a reply is exact up to 2^53, but the operator .. prints only 14 digits.

-- Returns a base above the last one when the clock is behind the last base. Returns nil and the reason
-- if the fence holds a foreign value, which may be too large for exact arithmetic.
local function base_after(last)
  if type(last) == 'table' then
    return nil, string.find(last.err, 'WRONGTYPE', 1, true) and {'type ' .. redis.call('TYPE', KEYS[2]).ok .. ' at ' .. KEYS[2]} or last
  end
  local number = tonumber(last)
  local base = number and number <= 9007199254740960 and string.format('%.0f', number + 16)
  redis.call('SET', KEYS[2], base or last)
  if not base then
    return nil, {'fence ' .. KEYS[2] .. ' without a usable base'}
  end
  return base
end

-- Returns the first token base of a new tenure, as a text; or nil and the reason of a failure.
local function next_base()
  -- Concatenating the parts of TIME is faster than formatting the number.
  local base = time[1] .. string.sub('00000' .. time[2], -6)
  local last = redis.pcall('SET', KEYS[2], base, 'GET')
  if not last or (tonumber(last) or micros) + 16 <= micros then
    return base
  end
  return base_after(last)
end
