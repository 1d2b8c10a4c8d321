-- Puts a tenure back on a server of a quorum that has forgotten it, or has never had it,
-- while a majority without this server has it. That is a vote for it: the server must be one
-- that may vote, and nobody else may have the lock here.
--
-- KEYS 1 lock, 2 fence: as the acquire script says
--      3 marker: time from which this server may vote
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 lease in ms
--      4 retention of the fence in ms
--      5 holder, as shown to others
--      6 mode: x exclusive, r reader
--      7 first token base of the tenure
--      8 how far, in ms, a token base may be off this server's clock
--      9 hold count
-- Returns {1}                    the tenure has the lock here
--         {0}                    it was ended here, or something else is in its place
--         {-1, ms or -1, time}   this server may not vote yet, or has no marker
--
-- A number that is an argument or a reply keeps its integer value up to 2^53.
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local millis = math.floor(micros / 1000)
local from = tonumber(redis.call('GET', KEYS[3]) or '')
if not from or from > micros then
  return {-1, from and math.ceil((from - micros) / 1000) or -1, micros}
end

local tenure = ARGV[1] .. ':' .. ARGV[2]
local reads = ARGV[6] == 'r'
local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) == 'table' then
  return string.find(fields.err, 'WRONGTYPE', 1, true) and {0} or fields
end
if fields > 0 then
  if redis.call('HGET', KEYS[1], tenure) then
    return {1}
  end
  if not reads or redis.call('HGET', KEYS[1], 'shared') ~= 'lock-starter' then
    return {0}
  end
end

local fence = redis.call('HMGET', KEYS[2], ARGV[1], 'base', 'kept')
local marks = fence[1] or ''
local highest = tonumber(string.match(marks, '^%S+') or '0')
-- The client of a reader may have ended later tenures meanwhile, with which it waited to
-- write. An exclusive tenure has no later one beside it.
if highest >= tonumber(ARGV[2]) and (not reads or math.floor(highest) == tonumber(ARGV[2])
    or string.find(marks .. ' ', ' ' .. ARGV[2] .. ' ', 1, true)) then
  return {0}
end

local base = tonumber(ARGV[7])
local last = tonumber(fence[2] or '')
local lease = tonumber(ARGV[3])
if not last then
  -- No base that this server has forgotten was higher, by its clock.
  redis.call('HSET', KEYS[2], 'top', math.floor(micros - ARGV[8] * 1000))
end
redis.call('HSET', KEYS[2], 'base', math.max(base, last or 0), 'holder', ARGV[5])
local needed = millis + lease + ARGV[4]
if (tonumber(fence[3] or '') or 0) < needed then
  local kept = math.floor(needed + ARGV[4] / 8)
  redis.call('HSET', KEYS[2], 'kept', kept)
  redis.call('PEXPIREAT', KEYS[2], kept)
end
-- The lock itself comes last: a command refused before leaves no lock behind.
if reads then
  redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure,
      string.format('%.0f %.0f %s', millis + lease, base, ARGV[5]))
else
  redis.call('HSET', KEYS[1], tenure, ARGV[9])
end
if fields == 0 or redis.call('PTTL', KEYS[1]) < lease then
  local expires = redis.pcall('PEXPIRE', KEYS[1], lease)
  if type(expires) ~= 'number' then
    -- The user may not, and a lock without an end would outlive everybody.
    redis.call('HDEL', KEYS[1], tenure, fields > 0 and tenure or 'shared')
    return expires
  end
end
return {1}
