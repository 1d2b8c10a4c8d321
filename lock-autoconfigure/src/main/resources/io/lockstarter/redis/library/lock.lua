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
