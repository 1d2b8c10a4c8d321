-- A look at the lock.

-- What it says of the tenure; then by, shared and waits.
local function read_lock()
  return redis.pcall('HMGET', KEYS[1], tenure, 'by', 'shared', 'waits')
end
