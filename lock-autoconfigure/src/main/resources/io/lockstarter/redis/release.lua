-- Ends a tenure, whether it is held, unknown, or still on its way, and wakes one waiting
-- client if the lock is free then. Only commands that a full Redis accepts run unguarded.
--
-- KEYS 1 lock: hash, tenure -> hold count
--      2 waiters: sorted set, wake channel by place
--      3 fence: hash, with the highest sequence that each client has ended; .5 is added if
--        it was not held then, so that a repeated command gets the same answer; and waits:
--        there if clients may wait
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 retention of the fence in ms
--      4 'y' if this client goes on waiting when another one is woken, 'r' if it asks again at
--        once and nobody need be woken
--      5 'c' in a cluster, where PUBLISH does not count all subscribers
-- Returns 1 released; 2 released before, by an earlier arrival of the same command; 3 it did
--         not hold the lock
--         {the same, place}  this client yielded to another and goes on waiting

-- The tenure is the only field: without it the lock is gone.
local held = redis.pcall('HDEL', KEYS[1], ARGV[1] .. ':' .. ARGV[2])
if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
  return held
end
local fence = redis.pcall('HMGET', KEYS[3], ARGV[1], 'waits')
local sequence = tonumber(ARGV[2])
local done = tonumber(fence[1] or 0)
local outcome = 3
local mark = ARGV[2] .. '.5'
if held == 1 then
  outcome = 1
  mark = ARGV[2]
elseif sequence > 0 and done == sequence then
  outcome = 2
end
if done < sequence then
  local added = redis.pcall('HSET', KEYS[3], ARGV[1], mark)
  if added == 1 and redis.call('PTTL', KEYS[3]) < 0 then
    redis.call('PEXPIRE', KEYS[3], ARGV[3])
  end
end

if not fence[2] or (held == 1 and ARGV[4] == 'r') then
  return outcome
end
local channel = string.match(KEYS[1], '^[^{]*') .. 'wake:' .. ARGV[1]
if outcome ~= 2 then
  -- Not for a repeated command: this client may have begun to wait again.
  redis.call('ZREM', KEYS[2], channel)
end
local woken = false
if held == 1 or redis.call('EXISTS', KEYS[1]) == 0 then
  -- A message that reaches nobody reveals a dead client, where the count can be trusted:
  -- try the next one.
  local next = redis.call('ZPOPMIN', KEYS[2])
  while next[1] and not woken do
    local reached = redis.pcall('PUBLISH', next[1], KEYS[1])
    woken = type(reached) == 'number' and (reached > 0 or ARGV[5] == 'c')
    next = woken and {} or redis.call('ZPOPMIN', KEYS[2])
  end
end
if woken and ARGV[4] == 'y' then
  local time = redis.call('TIME')
  local place = time[1] * 1000000 + time[2]
  redis.pcall('ZADD', KEYS[2], place, channel)
  redis.call('PEXPIRE', KEYS[2], 10000)
  return {outcome, place}
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('HDEL', KEYS[3], 'waits')
end
return outcome
