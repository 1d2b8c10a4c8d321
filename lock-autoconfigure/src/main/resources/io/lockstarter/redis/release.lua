-- Ends a tenure, whether it is held, unknown, or still on its way, and wakes one waiting
-- client if the lock is free then. Only commands that a full Redis accepts run unguarded.
--
-- KEYS 1 lock: hash, tenure -> hold count
--      2 waiters: sorted set, wake channel by place
--      3 done: the highest sequence that this client has ended; with .5 added if it was not
--        held then, so that a repeated command gets the same answer
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 retention of the done mark in ms
--      4 wake channel of this client
--      5 '1' if this client goes on waiting when another one is woken
--      6 life of the waiters' set in ms
--      7 '1' if PUBLISH counts all subscribers: not so in a cluster
-- Returns {outcome, place}
--         outcome 'RELEASED', 'RELEASED_BEFORE' or 'NOT_HELD'
--         place   of this client if it goes on waiting, else ''
local sequence = tonumber(ARGV[2])
local done = tonumber(redis.call('GET', KEYS[3]) or 0)
local outcome = 'NOT_HELD'

local held = redis.pcall('HEXISTS', KEYS[1], ARGV[1] .. ':' .. ARGV[2])
if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
  return held
end
if held == 1 then
  redis.call('DEL', KEYS[1])
  outcome = 'RELEASED'
elseif sequence > 0 and done == sequence then
  outcome = 'RELEASED_BEFORE'
end
if done < sequence then
  redis.pcall('SET', KEYS[3], ARGV[2] .. (outcome == 'RELEASED' and '' or '.5'), 'PX', ARGV[3])
end

local woken = false
if outcome ~= 'RELEASED_BEFORE' then
  -- Not for a repeated command: this client may have begun to wait again.
  redis.call('ZREM', KEYS[2], ARGV[4])
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  local next = redis.call('ZPOPMIN', KEYS[2])
  -- A message that reaches nobody reveals a dead client, where the count can be trusted:
  -- try the next one.
  while next[1] and not woken do
    local reached = redis.pcall('PUBLISH', next[1], KEYS[1])
    woken = type(reached) == 'number' and (reached > 0 or ARGV[7] ~= '1')
    next = woken and {} or redis.call('ZPOPMIN', KEYS[2])
  end
end

local place = ''
if woken and ARGV[5] == '1' then
  local time = redis.call('TIME')
  place = string.format('%.0f', time[1] * 1000000 + time[2])
  redis.pcall('ZADD', KEYS[2], place, ARGV[4])
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
end
return {outcome, place}
