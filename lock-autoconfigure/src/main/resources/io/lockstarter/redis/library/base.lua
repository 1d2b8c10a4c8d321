-- The fence, KEYS 2: the last token base that was given to any lock of its slot. Never expires.
--
-- A number that is an argument or a reply keeps its integer value up to 2^53; the operator ..
-- prints 14 digits only.

-- A base that is above the last one even if the clock stood still, where the clock says less.
-- None if the last is none of ours, and may be too large to be counted on exactly.
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

-- The first token base of a tenure that begins now, as a text; or nil, and why there is none.
local function next_base()
  -- Put together from what TIME says, which takes less than to format the number.
  local base = time[1] .. string.sub('00000' .. time[2], -6)
  local last = redis.pcall('SET', KEYS[2], base, 'GET')
  if not last or (tonumber(last) or micros) + 16 <= micros then
    return base
  end
  return base_after(last)
end
