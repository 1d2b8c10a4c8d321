-- Beginning of a tenure. The lock itself is written last, so a command that fails before leaves no lock
-- behind.

-- Writes the tenure with its first token base, the flag for waiters, and further fields.
local function write_lock(value, base, flagged, ...)
  if flagged then
    redis.call('HSET', KEYS[1], tenure, value, 'by', base .. ' ' .. HOLDER, 'waits', 1, ...)
  else
    redis.call('HSET', KEYS[1], tenure, value, 'by', base .. ' ' .. HOLDER, ...)
  end
end

-- Sets the expiry of the lock. If that fails, removes the tenure again, because the lock would never
-- expire, and returns the reason.
local function expire_lock(joins)
  if joins and redis.call('PTTL', KEYS[1]) >= tonumber(LEASE) then
    return nil
  end
  local expires = redis.pcall('PEXPIRE', KEYS[1], LEASE)
  if type(expires) ~= 'number' then
    if joins then
      redis.call('HDEL', KEYS[1], tenure)
    else
      redis.call('DEL', KEYS[1])
    end
    return expires
  end
end

-- Grants the lock exclusively.
local function begin_exclusive(base, flagged)
  write_lock('1', base, flagged)
  return expire_lock(false) or tonumber(base)
end
