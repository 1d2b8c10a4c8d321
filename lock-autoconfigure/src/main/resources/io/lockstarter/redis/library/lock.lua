-- The lock, KEYS 1: a hash, tenure -> hold count; or if readers have it, tenure -> share, and
-- the field shared with the value lock-starter.

-- Whether readers have the lock.
local function is_shared()
  return redis.call('HGET', KEYS[1], 'shared') == 'lock-starter'
end

-- The client of a tenure, nil if it is none.
local function client_of(field)
  local client = string.match(field, '^(%x+):%d+$')
  return client and #client == 32 and client or nil
end
