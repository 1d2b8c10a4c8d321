-- What KEYS 4 says of a client that waits: mode (x exclusive, f exclusive and fair, r
-- reader, p one of several permits; in upper case if the lock may be granted to it by a message), time when it last
-- asked, sequence or 0 if it hears no messages and asks by itself, lease and holder.

-- Of this client, by how it waits: g if the lock may be granted to the tenure by a message, p
-- if it hears no messages, else it is to be woken. ARGV 3 is its lease, and 5 its holder.
local function registration(mode, how, sequence)
  return string.format('%s %.0f %s %s %s', how == 'g' and string.upper(mode) or mode, micros,
      how == 'p' and '0' or sequence, ARGV[3], ARGV[5])
end

-- The five of them as texts, nil if the client is not registered.
local function parse_registration(value)
  return string.match(value or '', '^(%a) (%d+) (%d+) (%d+) (.*)$')
end

local function is_permit(kind)
  return kind == 'p' or kind == 'P'
end

-- How many may have the lock, with one that waits for it.
local function permits_of(kind, holder)
  return is_permit(kind) and permits_in(holder) or string.lower(kind) == 'r' and math.huge or 1
end

-- Whether a waiter may be alive that was last heard of at a time, in microseconds. One last
-- heard of after now is not: the clock was set back, and the living ask again.
local function is_alive(seen)
  return math.abs(micros - seen) <= 2000000
end
