-- Value of the tenure in the lock.

-- Returns the value; or nil if the tenure does not hold the lock, and the failure if there is one.
local function held_value()
  -- A demoted master may have missed the grant: only a server that accepts writes may deny it.
  local held = redis.pcall('HGET', KEYS[1], tenure) or redis.pcall('HDEL', KEYS[1], '')
  if type(held) == 'string' then
    return held
  end
  return nil, type(held) == 'table' and not is_foreign(held) and held or nil
end
