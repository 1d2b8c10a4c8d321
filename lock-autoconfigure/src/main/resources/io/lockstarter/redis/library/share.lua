-- What the lock says of a reader, or of one who has one of several permits: its deadline in ms,
-- first token base and holder. A holder that begins with * and a number tells how many permits
-- there are.

local function share(deadline, base, holder)
  return string.format('%.0f %.0f %s', deadline, base, holder)
end

-- How many permits there are, as a holder tells; 1 if it does not.
local function permits_in(holder)
  return tonumber(string.match(holder or '', '^%*(%d+) ')) or 1
end

-- The three of them as texts, nil if it is no reader's.
local function parse_share(value)
  return string.match(value, '^(%d+) (%d+) (.*)$')
end
