-- Raises what a server of a quorum has granted before.

-- The base and the holder of the tenure that may have the lock alone, with the base raised to the
-- one proposed if it is to be.
local function raise_base(by, known)
  local base, holder = parse_by(by)
  if not base or raised <= tonumber(base) then
    return by
  end
  write_counter(raised, known[6])
  local changed = string.format('%.0f %s', raised, holder)
  redis.call('HSET', KEYS[1], 'by', changed)
  return changed
end
