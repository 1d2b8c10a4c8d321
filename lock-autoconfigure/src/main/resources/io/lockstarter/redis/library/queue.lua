-- The waiting clients, KEYS 3: a sorted set of wake-up channels by queue position, the first one lowest.
--
-- The registration of a waiting client in KEYS 4: mode (x exclusive, f exclusive and fair, r reader,
-- p one of several permits; in upper case if the lock may be granted by a message), time of its last
-- request, sequence or 0 if the client polls, lease and holder; after a character 31 the number of its
-- waiting requests if there are several.

-- Returns the first five values of a registration as texts, and the number of requests; nil if the
-- client is not registered.
local function parse_registration(value)
  local kind, seen, sequence, lease, holder = string.match(value or '', '^(%a) (%d+) (%d+) (%d+) (.*)$')
  local label, requests = string.match(holder or '', '^(.*)\31(%d+)$')
  return kind, seen, sequence, lease, label or holder, tonumber(requests or 1)
end

local function is_permit(kind)
  return kind == 'p' or kind == 'P'
end

-- Returns the maximum number of holders for a waiting client.
local function permits_of(kind, holder)
  return is_permit(kind) and permits_in(holder) or string.lower(kind) == 'r' and math.huge or 1
end

-- Returns whether a waiter may be alive, by the time of its last request in microseconds. A time in the
-- future means that the clock was set back; a living client sends another request.
local function is_alive(seen)
  return math.abs(micros - seen) <= 2000000
end

-- Returns whether the last request of a waiter is so recent that the lock may be granted to the waiter by
-- a message. If it has died meanwhile, the lock is idle for a whole lease.
local function is_recent(seen)
  return math.abs(micros - seen) <= 1000000
end

-- Returns the wake-up channel of a client.
local function channel(client)
  return string.match(KEYS[1], '^[^{]*') .. 'wake:' .. client
end

-- Returns the client of a channel.
local function client_on(waiter)
  return string.sub(waiter, -32)
end
