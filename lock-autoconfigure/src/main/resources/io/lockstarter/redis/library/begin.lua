-- Begins a tenure. The lock itself is written last: a command refused before leaves none
-- behind. ARGV 5 is the holder.

-- Writes the lock: the tenure with its first token base, whether it is flagged, and further fields.
local function write_lock(value, base, flagged, ...)
  if flagged then
    redis.call('HSET', KEYS[1], tenure, value, 'by', base .. ' ' .. ARGV[5], 'waits', 1, ...)
  else
    redis.call('HSET', KEYS[1], tenure, value, 'by', base .. ' ' .. ARGV[5], ...)
  end
end

-- Makes the lock last for the lease. Returns why that is refused: then the tenure is taken out
-- again, since a lock without an end would outlive everybody.
local function expire_lock(joins)
  if joins and redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[3]) then
    return nil
  end
  local expires = redis.pcall('PEXPIRE', KEYS[1], ARGV[3])
  if type(expires) ~= 'number' then
    if joins then
      redis.call('HDEL', KEYS[1], tenure)
    else
      redis.call('DEL', KEYS[1])
    end
    return expires
  end
end
