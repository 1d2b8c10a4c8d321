-- The waiting clients, KEYS 3: a sorted set of wake-up channels by queue position, the first one lowest.

-- Returns the wake-up channel of a client.
local function channel(client)
  return string.match(KEYS[1], '^[^{]*') .. 'wake:' .. client
end

-- Returns the client of a channel.
local function client_on(waiter)
  return string.sub(waiter, -32)
end

-- Removes this client from the queue.
local function leave_queue()
  redis.call('ZREM', KEYS[3], channel(ARGV[1]))
  redis.pcall('HDEL', KEYS[4], 'w:' .. ARGV[1])
end
