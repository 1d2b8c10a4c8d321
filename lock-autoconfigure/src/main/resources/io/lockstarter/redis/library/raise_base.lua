-- Raising of a base that a server of a quorum has granted before.

-- Returns the base and the holder of the exclusive tenure, after raising the base to the proposed one
-- if requested.
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
