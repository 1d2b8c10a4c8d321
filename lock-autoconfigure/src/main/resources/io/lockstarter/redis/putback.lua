-- Restores a tenure on a server of a quorum that has lost it, or has never had it, while a majority
-- without this server has it. That is a vote for the tenure: the server must be permitted to vote, and
-- no other tenure may hold the lock on this server.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients, which is the fence here, 5 marker
-- ARGV see the library file arguments
-- Returns {1}                    the tenure holds the lock on this server
--         {0}                    the tenure was ended here, or the key holds something else
--         {-1, ms or -1, time}   this server must not vote before that time, or has no marker

--@ arguments, time, lock, share, clients, quorum, begin
local delay = delay_of_vote()
if delay then
  return {-1, delay, micros}
end
local reads = ARGV[10] == 'r'
local lock = read_lock(tenure)
if lock.err then
  return is_foreign(lock) and {0} or lock
end
if lock[1] then
  return {1}
end
local joins = is_shared(lock)
if not (reads and joins) and redis.call('HLEN', KEYS[1]) > 0 then
  return {0}
end

local known = read_counter()
if known.err then
  return is_foreign(known) and {0} or known
end
local sequence, highest = tonumber(SEQUENCE), highest_ended(known[1])
-- The client of a reader may have ended later tenures, with which it waited for the exclusive lock.
-- An exclusive tenure cannot coexist with a later one.
if highest >= sequence and (not reads or math.floor(highest) == sequence or was_released(known[1], SEQUENCE)) then
  return {0}
end

local base, last = ARGV[14], tonumber(known[5] or '')
if not last then
  -- By the server's clock, it has not lost a higher base.
  redis.call('HSET', KEYS[2], 'top', math.floor(micros - ARGV[15] * 1000))
end
write_counter(math.max(base, last or 0), known[6])
local waited = redis.call('EXISTS', KEYS[3]) == 1
if reads then
  write_lock(share(millis + LEASE, base, HOLDER), base, waited, 'shared', 'lock-starter')
else
  write_lock(ARGV[17], base, waited)
end
return expire_lock(joins) or {1}
