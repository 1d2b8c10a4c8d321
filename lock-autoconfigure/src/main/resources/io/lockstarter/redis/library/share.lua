-- What the lock says of a reader: its deadline in ms, first token base and holder.

local function share(deadline, base, holder)
  return string.format('%.0f %.0f %s', deadline, base, holder)
end

-- The three of them as texts, nil if it is no reader's.
local function parse_share(value)
  return string.match(value, '^(%d+) (%d+) (.*)$')
end
