-- This client in the queue.

local WAIT_MODE = ARGV[7] or ''

-- Queue position of this client: the given one, or a new one. A fair request counts from when it began
-- to wait.
local POSITION = tonumber(ARGV[8] or '') or micros - (tonumber(ARGV[9] or '') or 0)

-- Returns the registration of this client with a tenure.
local function registration(mode, sequence)
  local way, requests = string.match(WAIT_MODE, '^(.)(%d*)$')
  return string.format('%s %.0f %s %s %s', way == 'g' and string.upper(mode) or mode, micros,
      way == 'p' and '0' or sequence, LEASE, HOLDER) .. (requests ~= '' and '\31' .. requests or '')
end

-- Removes this client from the queue.
local function leave_queue()
  redis.call('ZREM', KEYS[3], channel(CLIENT))
  redis.pcall('HDEL', KEYS[4], 'w:' .. CLIENT)
end

-- Returns the first client with an earlier queue position that this client may not pass, the time of its
-- last request, and its holder. The optional function may_pass says which clients may be passed. Dead
-- clients are removed.
local function first_before(position, may_pass)
  local index = 0
  while true do
    local first = redis.call('ZRANGE', KEYS[3], index, index, 'WITHSCORES')
    if not first[1] or tonumber(first[2]) >= position then
      return nil
    end
    local client = client_on(first[1])
    local kind, seen, _, _, holder = parse_registration(redis.call('HGET', KEYS[4], 'w:' .. client))
    if not kind or not is_alive(seen) then
      redis.call('ZREM', KEYS[3], first[1])
      redis.call('HDEL', KEYS[4], 'w:' .. client)
    elseif client ~= CLIENT and not (may_pass and may_pass(kind, holder, seen, client)) then
      return client, seen, holder
    else
      index = index + 1
    end
  end
end
