-- Commands that are sent more than once. ARGV 6 is a if this one has been sent before: that may
-- have arrived, or may arrive yet.

local again = ARGV[6] == 'a'

-- Whether the tenure has been asked for with commands that were sent more than once, by what is known
-- of the client.
local function is_repeated(known)
  return tonumber(known[3] or 0) >= tonumber(ARGV[2])
end

-- Notes that the end of this tenure is to be marked, since it may be asked for after that.
local function note_repeat()
  local field = 'r:' .. ARGV[1]
  if again and tonumber(redis.call('HGET', KEYS[4], field) or 0) < tonumber(ARGV[2]) then
    redis.call('HSET', KEYS[4], field, ARGV[2])
    keep_clients()
  end
end
