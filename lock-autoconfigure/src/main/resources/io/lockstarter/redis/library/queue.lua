-- The clients that wait, KEYS 3: a sorted set, wake channel by place, the earlier the lower.

-- The channel on which a client is woken.
local function channel(client)
  return string.match(KEYS[1], '^[^{]*') .. 'wake:' .. client
end

-- The client of a channel.
local function client_on(waiter)
  return string.sub(waiter, -32)
end

-- Takes this client out.
local function leave_queue()
  redis.call('ZREM', KEYS[3], channel(ARGV[1]))
  redis.pcall('HDEL', KEYS[4], 'w:' .. ARGV[1])
end
