-- Takes a lock if it is free, or if the same tenure holds it already.
--
-- KEYS 1 lock: hash, tenure -> hold count
--      2 fence: hash of base: the first token base of the last tenure, which is its time in
--        microseconds; top: the last base that a tenure has reserved later; holder: of the
--        last tenure; kept: until when the fence is kept at least; waits: there if clients
--        may wait; for each client the highest sequence that it has ended, with .5 added if
--        it was not held then; and after "w:" for each client that waits what it is to be
--        granted: sequence, lease and holder
--      3 waiters: sorted set, wake channel by place
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 lease in ms
--      4 retention of the fence in ms
--      5 holder, as shown to others
--      6 place among the waiters, 0 if it is to get one, empty if it does not wait; with "g"
--        before it if the lock may be granted to the tenure while it waits
-- Returns base                   granted: the first of 16 token bases
--         -base                  granted, and other clients wait
--         {remaining lease in ms, holder, held for ms, place or '', time in microseconds}
--                                refused
--         0                      this tenure was ended before it began
--         {what}                 the key holds something that is not a lock
--
-- A number that is an argument or a reply keeps its integer value up to 2^53; the
-- operator .. prints 14 digits only.
local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) == 'table' then
  if not string.find(fields.err, 'WRONGTYPE', 1, true) then
    return fields
  end
  return {'type ' .. redis.call('TYPE', KEYS[1]).ok}
end

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]

if fields == 0 then
  local fence = redis.call('HMGET', KEYS[2], ARGV[1], 'base', 'top', 'kept', 'waits')
  if fence[1] then
    if tonumber(fence[1]) >= tonumber(ARGV[2]) then
      return 0
    end
  elseif redis.call('HLEN', KEYS[2]) > 69 then
    -- Clients come and go: forget what they have ended.
    for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
      if #field >= 32 then
        redis.call('HDEL', KEYS[2], field)
      end
    end
  end
  -- Above the last base even if the clock stood still. A base that is none of ours may be
  -- too large to be counted on exactly.
  local last = tonumber(fence[2] or 0)
  if not last or last > 9007199254740960 then
    return {'fence without a usable base'}
  end
  local base = math.max(micros, last + 16, (tonumber(fence[3]) or 0) + 1)
  local needed = micros / 1000 + ARGV[3] + ARGV[4]
  if (tonumber(fence[4]) or 0) < needed then
    -- An eighth longer, so that it is not due again at once.
    local kept = math.floor(needed + ARGV[4] / 8)
    redis.call('HSET', KEYS[2], 'base', base, 'holder', ARGV[5], 'kept', kept)
    redis.call('PEXPIREAT', KEYS[2], kept)
  else
    redis.call('HSET', KEYS[2], 'base', base, 'holder', ARGV[5])
  end
  -- The lock itself comes last: a command refused before leaves no lock behind.
  redis.call('HSET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], '1')
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  if fence[5] then
    redis.call('ZREM', KEYS[3], string.match(KEYS[1], '^[^{]*') .. 'wake:' .. ARGV[1])
    redis.call('HDEL', KEYS[2], 'w:' .. ARGV[1])
    if redis.call('EXISTS', KEYS[3]) == 1 then
      return -base
    end
  end
  return base
end

if fields > 1 then
  return {'hash of ' .. fields .. ' fields'}
end
local holding = redis.call('HKEYS', KEYS[1])[1]
local fence = redis.call('HMGET', KEYS[2], 'base', 'holder')
local base = tonumber(fence[1])
if holding == ARGV[1] .. ':' .. ARGV[2] then
  if not base then
    -- Somebody has removed the fence.
    base = micros
    redis.call('HSET', KEYS[2], 'base', base, 'holder', ARGV[5])
    redis.call('PEXPIRE', KEYS[2], ARGV[4] + ARGV[3])
  end
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or base
end
local client = string.match(holding, '^(%x+):%d+$')
if not client or #client ~= 32 then
  return {'hash of another layout'}
end

local remaining = redis.call('PTTL', KEYS[1])
local place = ''
if ARGV[6] ~= '' then
  local channels = string.match(KEYS[1], '^[^{]*') .. 'wake:'
  place = tonumber(string.match(ARGV[6], '%d+'))
  if place == 0 then
    place = micros
  end
  redis.call('ZADD', KEYS[3], place, channels .. ARGV[1])
  redis.call('PEXPIRE', KEYS[3], 10000)
  redis.call('HSET', KEYS[2], 'waits', 1)
  if string.sub(ARGV[6], 1, 1) == 'g' then
    redis.call('HSET', KEYS[2], 'w:' .. ARGV[1], ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[5])
  else
    redis.call('HDEL', KEYS[2], 'w:' .. ARGV[1])
  end
  if not base then
    redis.call('PEXPIRE', KEYS[2], ARGV[4] + math.max(0, remaining))
  end
  if client ~= ARGV[1] then
    -- Tells the holder that it is waited for.
    redis.pcall('PUBLISH', channels .. client, '?' .. KEYS[1])
  end
end
local held = base and math.max(0, math.floor((micros - base) / 1000)) or 0
return {remaining, fence[2] or holding, held, place, micros}
