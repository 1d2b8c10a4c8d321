-- Ends a tenure, whether it is held, unknown, or still on its way, and if the lock is free
-- then, grants it to the first client that waits, or wakes that client. Only commands that a full Redis accepts run unguarded.
--
-- KEYS 1 lock: hash, tenure -> hold count
--      2 waiters: sorted set, wake channel by place
--      3 fence: hash, with the highest sequence that each client has ended; .5 is added if
--        it was not held then, so that a repeated command gets the same answer; and waits:
--        there if clients may wait; further as the acquire script says
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 retention of the fence in ms
--      4 'y' if this client goes on waiting when another one is woken, followed by what it is
--        to be granted then, as the acquire script says; 'r' if it asks again at once and
--        nobody need be woken
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
  redis.call('HDEL', KEYS[3], 'w:' .. ARGV[1])
end

local yields = string.sub(ARGV[4], 1, 1) == 'y'

-- Gives the lock to a client that waits, for a second at most: it hears of that by the
-- message returned, or nobody does. Nil if it is to ask by itself.
local function grant(client)
  local registered = redis.pcall('HMGET', KEYS[3], 'w:' .. client, client, 'base', 'top')
  if ARGV[5] == 'c' or not registered[1] then
    return nil
  end
  local tenure, lease, holder = string.match(registered[1], '^(%d+) (%d+) (.*)$')
  if not tenure or tonumber(registered[2] or 0) >= tonumber(tenure) then
    return nil
  end
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  local base = math.max(micros, (tonumber(registered[3]) or 0) + 16, (tonumber(registered[4]) or 0) + 1)
  if base > 9007199254740960 then
    return nil
  end
  local written = redis.pcall('HSET', KEYS[3], 'base', base, 'holder', holder)
  if type(written) == 'number' then
    written = redis.pcall('HSET', KEYS[1], client .. ':' .. tenure, '1')
  end
  if type(written) ~= 'number' then
    return nil
  end
  local provisional = math.min(tonumber(lease), 1000)
  redis.call('PEXPIRE', KEYS[1], provisional)
  if redis.call('PTTL', KEYS[3]) < ARGV[3] + lease then
    redis.call('PEXPIRE', KEYS[3], ARGV[3] + lease)
  end
  local wanted = (yields or redis.call('EXISTS', KEYS[2]) == 1) and 1 or 0
  return string.format('!%s %.0f %.0f %d %d %s', tenure, base, micros, provisional, wanted, KEYS[1])
end

local woken = false
if held == 1 or redis.call('EXISTS', KEYS[1]) == 0 then
  -- A message that reaches nobody reveals a dead client, where the count can be trusted:
  -- try the next one.
  local next = redis.call('ZPOPMIN', KEYS[2])
  while next[1] and not woken do
    local client = string.sub(next[1], -32)
    local granted = grant(client)
    local reached = redis.pcall('PUBLISH', next[1], granted or KEYS[1])
    woken = type(reached) == 'number' and (reached > 0 or ARGV[5] == 'c')
    redis.call('HDEL', KEYS[3], 'w:' .. client)
    if granted and not woken then
      redis.call('DEL', KEYS[1])
    end
    next = woken and {} or redis.call('ZPOPMIN', KEYS[2])
  end
end
if woken and yields then
  local time = redis.call('TIME')
  local place = time[1] * 1000000 + time[2]
  redis.pcall('ZADD', KEYS[2], place, channel)
  if #ARGV[4] > 1 then
    redis.pcall('HSET', KEYS[3], 'w:' .. ARGV[1], string.sub(ARGV[4], 2))
  end
  redis.call('PEXPIRE', KEYS[2], 10000)
  return {outcome, place}
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('HDEL', KEYS[3], 'waits')
end
return outcome
