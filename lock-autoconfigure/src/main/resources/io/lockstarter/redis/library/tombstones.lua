-- The tombstones of a client, which list its ended tenures: the highest sequence, plus .5 if that tenure
-- did not hold the lock, followed by the latest other sequences that were released.

local function highest_ended(tombstones)
  return tonumber(string.match(tombstones or '0', '^%S+'))
end

-- Returns whether a tenure held the lock when it was ended.
local function was_released(tombstones, sequence)
  return string.find(' ' .. (tombstones or '') .. ' ', ' ' .. sequence .. ' ', 1, true) ~= nil
end
