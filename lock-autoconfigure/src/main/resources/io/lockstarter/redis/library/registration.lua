-- What KEYS 4 says of a client that waits: mode (x exclusive, f exclusive and fair, r
-- reader, p one of several permits; in upper case if the lock may be granted to it by a message), time when it last
-- asked, sequence or 0 if it hears no messages and asks by itself, lease and holder; if several of
-- its requests wait, after a character 31 how many.

-- Of this client, by how it waits: g if the lock may be granted to the tenure by a message, p
-- if it hears no messages, else it is to be woken. ARGV 3 is its lease, and 5 its holder.
local function registration(mode, how, sequence)
  local way, requests = string.match(how, '^(.)(%d*)$')
  return string.format('%s %.0f %s %s %s', way == 'g' and string.upper(mode) or mode, micros,
      way == 'p' and '0' or sequence, ARGV[3], ARGV[5]) .. (requests ~= '' and '\31' .. requests or '')
end

-- The five of them as texts and the number of requests, nil if the client is not registered.
local function parse_registration(value)
  local kind, seen, sequence, lease, holder = string.match(value or '', '^(%a) (%d+) (%d+) (%d+) (.*)$')
  local alone, requests = string.match(holder or '', '^(.*)\31(%d+)$')
  return kind, seen, sequence, lease, alone or holder, tonumber(requests or 1)
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
