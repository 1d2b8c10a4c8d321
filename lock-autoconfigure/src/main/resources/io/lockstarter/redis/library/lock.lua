-- The lock, KEYS 1: a hash of tenure -> hold count; or for readers, tenure -> share and the field shared
-- with the value lock-starter. The field by contains the first token base of the last tenure, which is
-- its time in microseconds, and its holder. The field waits exists if clients may wait, or if the end
-- of a tenure has to leave a tombstone.

-- Returns whether readers hold the lock.
local function is_shared(lock)
  return lock[3] == 'lock-starter' and lock[2]
end

-- Returns the base and the holder of the last tenure, as texts; nil if this is not a lock.
local function parse_by(by)
  return string.match(by or '', '^(%d+) (.*)$')
end

-- Returns the client of a tenure; nil if the field is not a tenure.
local function client_of(field)
  local client = string.match(field, '^(%x+):%d+$')
  return client and #client == 32 and client or nil
end

-- Returns the value of a tenure, then by, shared and waits.
local function read_lock(tenure)
  return redis.pcall('HMGET', KEYS[1], tenure, 'by', 'shared', 'waits')
end

-- Returns whether a command failed because of the type of the key.
local function is_foreign(failure)
  return string.find(failure.err, 'WRONGTYPE', 1, true) ~= nil
end

-- Returns the reply for a failed command on KEYS 1: the type of the key, or the failure.
local function reply_to(failure)
  return is_foreign(failure) and {'type ' .. redis.call('TYPE', KEYS[1]).ok} or failure
end

-- Returns the reply for a failed command on KEYS 4.
local function reply_for_clients(failure)
  return is_foreign(failure) and {'type ' .. redis.call('TYPE', KEYS[4]).ok .. ' at ' .. KEYS[4]} or failure
end

-- Returns the value of a tenure; or nil if the tenure does not hold the lock, and the failure if there is one.
local function held_value(tenure)
  -- A demoted master may have missed the grant: only a server that accepts writes may deny it.
  local held = redis.pcall('HGET', KEYS[1], tenure) or redis.pcall('HDEL', KEYS[1], '')
  if type(held) == 'string' then
    return held
  end
  return nil, type(held) == 'table' and not is_foreign(held) and held or nil
end
