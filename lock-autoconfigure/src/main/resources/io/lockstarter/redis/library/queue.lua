-- The clients that wait, KEYS 3: a sorted set, wake channel by place, the earlier the lower.

-- The channel on which a client is woken.
local function channel(client)
  return string.match(KEYS[1], '^[^{]*') .. 'wake:' .. client
end

-- The client of a channel.
local function client_on(waiter)
  return string.sub(waiter, -32)
end

-- Whether a waiter may be alive that was last heard of at a time, in microseconds. One last
-- heard of after now is not: the clock was set back, and the living ask again.
local function is_alive(seen)
  return math.abs(micros() - seen) <= 2000000
end

-- Takes this client out.
local function leave_queue()
  redis.call('ZREM', KEYS[3], channel(ARGV[1]))
  redis.call('HDEL', KEYS[2], 'w:' .. ARGV[1])
end
