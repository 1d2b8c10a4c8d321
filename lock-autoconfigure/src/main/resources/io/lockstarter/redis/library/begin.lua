-- Begins a tenure. The lock itself is written last: a command refused before leaves none
-- behind.

-- Makes the lock last for the lease. Returns why that is refused: then the tenure is taken out
-- again, since a lock without an end would outlive everybody.
local function expire_lock(joins)
  if joins and redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[3]) then
    return nil
  end
  local expires = redis.pcall('PEXPIRE', KEYS[1], ARGV[3])
  if type(expires) ~= 'number' then
    redis.call('HDEL', KEYS[1], tenure, joins and tenure or 'shared')
    return expires
  end
end
