-- Admits a server of a quorum to votes: at once if it has kept its data, otherwise once every lock
-- that it may have lost has expired.
--
-- KEYS 1 marker: time in microseconds from which this server may vote; never expires
-- ARGV 1 longest lease in ms
-- Returns {ms until the server votes, time in microseconds}

--@ time
local from = tonumber(redis.call('GET', KEYS[1]) or '')
if not from then
  from = micros + ARGV[1] * 1000
  redis.call('SET', KEYS[1], from)
end
return {math.max(0, math.ceil((from - micros) / 1000)), micros}
