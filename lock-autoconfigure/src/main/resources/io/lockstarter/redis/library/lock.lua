-- The lock, KEYS 1: a hash, tenure -> hold count; or if readers have it, tenure -> share, and
-- the field shared with the value lock-starter. In both by, the first token base of the last tenure,
-- which is its time in microseconds, and its holder; and waits, there if clients may wait, or
-- the end of a tenure is to be marked.

-- Whether readers have the lock.
local function is_shared(lock)
  return lock[3] == 'lock-starter' and lock[2]
end

-- The base and the holder of the last tenure, as texts; nil if this is no lock.
local function parse_by(by)
  return string.match(by or '', '^(%d+) (.*)$')
end

-- The client of a tenure, nil if it is none.
local function client_of(field)
  local client = string.match(field, '^(%x+):%d+$')
  return client and #client == 32 and client or nil
end
