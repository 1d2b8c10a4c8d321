-- What the lock says of the tenure.

-- Returns nil if it does not have the lock; and why that cannot be told.
local function held_value()
  -- A former master may have missed the grant: only a server that takes writes may deny it.
  local held = redis.pcall('HGET', KEYS[1], tenure) or redis.pcall('HDEL', KEYS[1], '')
  if type(held) == 'string' then
    return held
  end
  return nil, type(held) == 'table' and not is_foreign(held) and held or nil
end
