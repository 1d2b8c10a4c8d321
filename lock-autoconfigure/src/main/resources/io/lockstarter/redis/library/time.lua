-- The server's clock.

local read = nil

-- The time in microseconds, the same throughout a script.
local function micros()
  if not read then
    local time = redis.call('TIME')
    read = time[1] * 1000000 + time[2]
  end
  return read
end

local function millis()
  return math.floor(micros() / 1000)
end
