-- Snapshot of the lock.

-- Returns the value of the tenure, then by, shared and waits.
local function read_lock()
  return redis.pcall('HMGET', KEYS[1], tenure, 'by', 'shared', 'waits')
end
