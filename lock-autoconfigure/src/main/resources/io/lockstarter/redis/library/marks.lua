-- The marks of a client, which say what tenures it has ended: the highest sequence, with .5 added
-- if it did not have the lock then, and others that it has ended last and that had it.

local function highest_ended(marks)
  return tonumber(string.match(marks or '0', '^%S+'))
end

-- Whether a tenure had the lock when it was ended.
local function was_released(marks, sequence)
  return string.find(' ' .. (marks or '') .. ' ', ' ' .. sequence .. ' ', 1, true) ~= nil
end
