-- The lock, KEYS 1: a hash, tenure -> hold count; or if readers have it, tenure -> share, and
-- the field shared with the value lock-starter.

-- Whether a command has failed because the key holds something that is not a lock.
local function is_foreign(failure)
  return string.find(failure.err, 'WRONGTYPE', 1, true) ~= nil
end

-- The answer if a command has failed: what the key holds, or why that cannot be told.
local function answer_to(failure)
  return is_foreign(failure) and {'type ' .. redis.call('TYPE', KEYS[1]).ok} or failure
end

-- How many fields the lock has; or nil and the answer.
local function count_fields()
  local fields = redis.pcall('HLEN', KEYS[1])
  if type(fields) == 'number' then
    return fields
  end
  return nil, answer_to(fields)
end

-- Whether readers have the lock.
local function is_shared()
  return redis.call('HGET', KEYS[1], 'shared') == 'lock-starter'
end

-- The client of a tenure, nil if it is none.
local function client_of(field)
  local client = string.match(field, '^(%x+):%d+$')
  return client and #client == 32 and client or nil
end
