-- Takes a lock if it is free, or if the same tenure holds it already.
--
-- KEYS 1 lock: hash, tenure -> hold count
--      2 fence: hash, base, holder, since
--      3 waiters: sorted set, wake channel by place
--      4 done: the highest sequence that this client has ended
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 lease in ms
--      4 retention of the fence in ms
--      5 holder, as shown to others
--      6 wake channel of this client, empty if it does not wait
--      7 place among the waiters, empty if it has none
--      8 life of the waiters' set in ms
--      9 how many token bases to reserve
-- Returns {'GRANTED', first base, number of other waiting clients}
--         {'REFUSED', remaining lease in ms, holder, held for ms, place or ''}
--         {'CANCELLED'}            this tenure was ended before it began
--         {'FOREIGN', what}        the key holds something that is not a lock
local tenure = ARGV[1] .. ':' .. ARGV[2]

local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) == 'table' then
  if not string.find(fields.err, 'WRONGTYPE', 1, true) then
    return fields
  end
  return {'FOREIGN', 'type ' .. redis.call('TYPE', KEYS[1]).ok}
end

local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)

-- The token bases of a new tenure: above the last one even if the clock stood still. False
-- if the last one is none of ours: a double holds no greater number exactly.
local function fence()
  local base = time[1] * 1000000 + time[2]
  local last = tonumber(redis.call('HGET', KEYS[2], 'base') or 0)
  if not last or last > 9007199254740991 - ARGV[9] then
    return false
  end
  base = math.max(base, last + 1)
  redis.call('HSET', KEYS[2], 'base', string.format('%.0f', base + ARGV[9] - 1), 'holder', ARGV[5], 'since',
    string.format('%.0f', millis))
  redis.call('PEXPIRE', KEYS[2], ARGV[4] + ARGV[3])
  return string.format('%.0f', base)
end

if fields == 0 then
  local done = redis.call('GET', KEYS[4])
  if done and tonumber(done) >= tonumber(ARGV[2]) then
    return {'CANCELLED'}
  end
  local base = fence()
  if not base then
    return {'FOREIGN', 'fence without a usable base'}
  end
  if ARGV[7] ~= '' then
    redis.call('ZREM', KEYS[3], ARGV[6])
  end
  -- The lock itself comes last: a command refused before leaves no lock behind.
  redis.call('HSET', KEYS[1], tenure, 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'GRANTED', base, redis.call('ZCARD', KEYS[3])}
end

if fields > 1 then
  return {'FOREIGN', 'hash of ' .. fields .. ' fields'}
end
local holding = redis.call('HKEYS', KEYS[1])[1]
if holding == tenure then
  local last = redis.call('HGET', KEYS[2], 'base')
  local base = last and string.format('%.0f', last - ARGV[9] + 1) or fence()
  return {'GRANTED', base, redis.call('ZCARD', KEYS[3])}
end
local client = string.match(holding, '^(%x+):%d+$')
if not client or #client ~= 32 then
  return {'FOREIGN', 'hash of another layout'}
end

local place = ''
if ARGV[6] ~= '' then
  place = ARGV[7]
  if place == '' then
    place = string.format('%.0f', time[1] * 1000000 + time[2])
  end
  redis.call('ZADD', KEYS[3], place, ARGV[6])
  redis.call('PEXPIRE', KEYS[3], ARGV[8])
  if client ~= ARGV[1] then
    -- Tells the holder that it is waited for: the channels differ in the client's id only.
    redis.pcall('PUBLISH', string.sub(ARGV[6], 1, -33) .. client, '?' .. KEYS[1])
  end
end
local seen = redis.call('HMGET', KEYS[2], 'holder', 'since')
local held = math.max(0, millis - (seen[2] or millis))
return {'REFUSED', redis.call('PTTL', KEYS[1]), seen[1] or holding, held, place}
