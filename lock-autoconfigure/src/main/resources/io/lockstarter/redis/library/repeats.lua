-- Repeated commands. ARGV 6 is a if this command was sent before. The first command may have arrived, or
-- may still arrive.

local again = ARGV[6] == 'a'

-- Returns whether a request of the tenure was repeated, by the fields of the client.
local function is_repeated(known)
  return tonumber(known[3] or 0) >= tonumber(ARGV[2])
end

-- Records that the end of this tenure has to leave a tombstone, because an acquire may arrive later.
local function note_repeat()
  local field = 'r:' .. ARGV[1]
  if again and tonumber(redis.call('HGET', KEYS[4], field) or 0) < tonumber(ARGV[2]) then
    redis.call('HSET', KEYS[4], field, ARGV[2])
    keep_clients()
  end
end
