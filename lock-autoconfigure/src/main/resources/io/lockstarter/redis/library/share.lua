-- The share of a reader or of the holder of a permit: its deadline in ms, first token base and holder. A
-- holder that begins with * and a number contains the number of permits.

local function share(deadline, base, holder)
  return string.format('%.0f %.0f %s', deadline, base, holder)
end

-- Returns the number of permits that a holder contains, or 1.
local function permits_in(holder)
  return tonumber(string.match(holder or '', '^%*(%d+) ')) or 1
end

-- Returns these three values as texts; nil if the value is not a share.
local function parse_share(value)
  return string.match(value, '^(%d+) (%d+) (.*)$')
end
