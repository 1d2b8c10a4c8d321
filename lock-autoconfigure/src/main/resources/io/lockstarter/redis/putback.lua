-- Puts a tenure back on a server of a quorum that has forgotten it, or has never had it,
-- while a majority without this server has it. That is a vote for it: the server must be one
-- that may vote, and nobody else may have the lock here.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 marker
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

--@ time, foreign, lock, tenure, share, marks, base, begin, vote
local delay = delay_of_vote()
if delay then
  return {-1, delay, micros}
end
local reads = ARGV[6] == 'r'
local fields = redis.pcall('HLEN', KEYS[1])
if type(fields) == 'table' then
  return is_foreign(fields) and {0} or fields
end
if fields > 0 then
  if redis.call('HGET', KEYS[1], tenure) then
    return {1}
  end
  if not reads or not is_shared() then
    return {0}
  end
end

local fence = redis.call('HMGET', KEYS[2], ARGV[1], 'base', 'kept')
local sequence, highest = tonumber(ARGV[2]), highest_ended(fence[1])
-- The client of a reader may have ended later tenures meanwhile, with which it waited to
-- write. An exclusive tenure has no later one beside it.
if highest >= sequence and (not reads or math.floor(highest) == sequence or was_released(fence[1], ARGV[2])) then
  return {0}
end

local base, last = tonumber(ARGV[7]), tonumber(fence[2] or '')
if not last then
  -- No base that this server has forgotten was higher, by its clock.
  redis.call('HSET', KEYS[2], 'top', math.floor(micros - ARGV[8] * 1000))
end
write_fence(math.max(base, last or 0), fence[3])
if reads then
  redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure, share(millis + ARGV[3], base, ARGV[5]))
else
  redis.call('HSET', KEYS[1], tenure, ARGV[9])
end
return expire_lock(fields > 0) or {1}
