-- Takes a lock if it may be had, or if the same tenure has it already.
--
-- KEYS 1 lock: hash, tenure -> hold count; or if readers have it: tenure -> deadline in ms,
--        first token base and holder, and the field shared with the value lock-starter
--      2 fence: hash of base: the first token base of the last tenure, which is its time in
--        microseconds; top: where one was put back, the highest base that this server may have
--        forgotten; holder: of the last tenure; kept: until when the fence is kept at
--        least; waits: there if clients may wait, and turn while the lock is free and kept for
--        the first of them that asks by itself; for each client the highest sequence that it
--        has ended, with .5 added if it was not held then, and the others that it has ended
--        last and had held; and after "w:" for each client that waits: mode, in upper case if
--        the lock may be granted to it by a message, time when it last asked, sequence or 0 if
--        it hears no messages and asks by itself, lease and holder
--      3 waiters: sorted set, wake channel by place
--      4 only as one of a quorum, marker: time from which this server may vote
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 lease in ms
--      4 retention of the fence in ms
--      5 holder, as shown to others
--      6 place among the waiters; or if it is to get one, 0 or minus the time in microseconds
--        that it has waited; empty if it does not wait; with "g" before it if the lock may be
--        granted to the tenure by a message, or "p" if this client hears no messages
--      7 mode: x exclusive, f exclusive and fair, r reader
--      8 only as one of a quorum, the first token base that the client proposes
--      9 then how far, in ms, it may be off this server's clock
--      10 then y if a base that the tenure was granted before may be raised to it
-- Returns base                   granted: the first of 16 token bases
--         -base                  granted, and other clients wait
--         {remaining lease in ms, holder, held for ms, place or '', time in microseconds}
--                                refused
--         0                      this tenure was ended before it began
--         {what}                 the key holds something that is not a lock
--         {'counter', base, time}     the proposed base is too low, this one would not be
--         {'ahead', 0, time}          the proposed base is too far ahead of this server's clock
--         {'no vote', ms or -1, time}  this server may not vote yet, or has no marker
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
local millis = math.floor(micros / 1000)
local mode = ARGV[7]
local reads = mode == 'r'
local tenure = ARGV[1] .. ':' .. ARGV[2]
local proposed = tonumber(ARGV[8] or '')
local reach = proposed and ARGV[9] * 1000

if KEYS[4] then
  local from = tonumber(redis.call('GET', KEYS[4]) or '')
  if not from or from > micros then
    return {'no vote', from and math.ceil((from - micros) / 1000) or -1, micros}
  end
  if proposed > micros + reach then
    return {'ahead', 0, micros}
  end
end

-- Whether a waiter may be alive that was last heard of at a time, in microseconds. One last
-- heard of after now is not: the clock was set back, and the living ask again. The acquire
-- and the release script have this function, word by word.
local function is_alive(now, seen)
  return math.abs(now - seen) <= 2000000
end

-- The wake channel of a client.
local function channel(client)
  return string.match(KEYS[1], '^[^{]*') .. 'wake:' .. client
end

local shared = fields > 1 and redis.call('HGET', KEYS[1], 'shared') == 'lock-starter'
local readers = {}
local oldest = nil
-- A reader need not know the others. It forgets dead ones where there are many, by a chance
-- that makes it look at 16 on average, however many there are.
if shared and (not reads or fields > 64 and micros % fields < 16) then
  local dead = {}
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local client = string.match(all[i], '^(%x+):%d+$')
    local deadline, base, holder = string.match(all[i + 1], '^(%d+) (%d+) (.*)$')
    if all[i] ~= 'shared' and not (deadline and client and #client == 32) then
      return {'hash of another layout'}
    elseif deadline and tonumber(deadline) < millis and all[i] ~= tenure then
      dead[#dead + 1] = all[i]
    elseif deadline then
      readers[#readers + 1] = client
      if not oldest or tonumber(base) < oldest.base then
        oldest = {base = tonumber(base), holder = holder}
      end
    end
  end
  -- A reader that has died frees its share at its deadline.
  for _, reader in ipairs(dead) do
    redis.call('HDEL', KEYS[1], reader)
  end
  if #readers == 0 then
    redis.call('DEL', KEYS[1])
    shared = false
    fields = 0
  end
end

local place = micros
if ARGV[6] ~= '' then
  place = tonumber(string.match(ARGV[6], '-?%d+'))
  if place <= 0 then
    place = micros + place
  end
end

-- Returns the first client with an earlier place that may not be overtaken, and when it is
-- to be taken for dead; forgets those that are.
local function ahead()
  local index = 0
  while true do
    local first = redis.call('ZRANGE', KEYS[3], index, index, 'WITHSCORES')
    if not first[1] or tonumber(first[2]) >= place then
      return nil
    end
    local client = string.sub(first[1], -32)
    local kind, seen = string.match(redis.call('HGET', KEYS[2], 'w:' .. client) or '', '^(%a) (%d+) ')
    if not kind or not is_alive(micros, seen) then
      redis.call('ZREM', KEYS[3], first[1])
      redis.call('HDEL', KEYS[2], 'w:' .. client)
    elseif client ~= ARGV[1] and not (reads and string.lower(kind) == 'r') then
      return client, seen + 2000000
    else
      index = index + 1
    end
  end
end

-- What the hash of the lock says of a reader.
local function share(deadline, base)
  return string.format('%.0f %.0f %s', deadline, base, ARGV[5])
end

local blocker, dead_at
local waits = 1
if fields == 0 or (shared and reads) then
  local fence = redis.call('HMGET', KEYS[2], ARGV[1], 'base', 'kept', 'waits', 'top')
  local own = shared and redis.call('HGET', KEYS[1], tenure)
  if own then
    local deadline, first = string.match(own, '^(%d+) (%d+) ')
    local base = tonumber(first)
    local last = tonumber(fence[2]) or 0
    if ARGV[10] == 'y' and proposed > base then
      if base ~= last and proposed < last + 16 then
        -- Other readers came later.
        return {'counter', last + 16, micros}
      end
      base = proposed
    end
    if base > last then
      redis.call('HSET', KEYS[2], 'base', base)
      if redis.call('PTTL', KEYS[2]) < 0 then
        -- Somebody has removed the fence.
        redis.call('PEXPIRE', KEYS[2], ARGV[4] + ARGV[3])
      end
    end
    -- Never shorter: this may be a late command.
    redis.call('HSET', KEYS[1], tenure, share(math.max(tonumber(deadline), millis + ARGV[3]), base))
    if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
      redis.call('PEXPIRE', KEYS[1], ARGV[3])
    end
    return redis.call('EXISTS', KEYS[3]) == 1 and -base or base
  end
  if fence[1] then
    if tonumber(string.match(fence[1], '^%S+')) >= tonumber(ARGV[2]) then
      return 0
    end
  elseif redis.call('HLEN', KEYS[2]) > 69
      and redis.call('HLEN', KEYS[2]) > 69 + redis.call('ZCARD', KEYS[3]) then
    -- Clients come and go: forget what they have ended, and those who died while they waited.
    local all = redis.call('HGETALL', KEYS[2])
    for i = 1, #all, 2 do
      local seen = string.sub(all[i], 1, 2) == 'w:' and string.match(all[i + 1], '^%a (%d+) ')
      if #all[i] >= 32 and not (seen and is_alive(micros, seen)) then
        redis.call('HDEL', KEYS[2], all[i])
      end
    end
  end
  if fence[4] and (mode ~= 'x' or fence[4] == 'turn') then
    blocker, dead_at = ahead()
    waits = fence[4]
  end
  if not blocker then
    -- Above the last base even if the clock stood still. A base that is none of ours may be
    -- too large to be counted on exactly.
    local last = tonumber(fence[2] or 0)
    if not last or last > 9007199254740960 then
      return {'fence without a usable base'}
    end
    local lowest = math.max(last + 16, (tonumber(fence[5]) or 0) + 1)
    local base = math.max(micros, lowest)
    if proposed then
      -- A server that has forgotten its counter last gave a base more than twice the reach
      -- before now by its clock, and no more than the reach ahead of it.
      if proposed < (fence[2] and lowest or micros - reach + 16) then
        return {'counter', fence[2] and lowest or micros, micros}
      end
      base = proposed
    end
    local needed = millis + ARGV[3] + ARGV[4]
    if (tonumber(fence[3]) or 0) < needed then
      -- An eighth longer, so that it is not due again at once.
      local kept = math.floor(needed + ARGV[4] / 8)
      redis.call('HSET', KEYS[2], 'base', base, 'holder', ARGV[5], 'kept', kept)
      redis.call('PEXPIREAT', KEYS[2], kept)
    else
      redis.call('HSET', KEYS[2], 'base', string.format('%d', base), 'holder', ARGV[5])
    end
    -- The lock itself comes last: a command refused before leaves no lock behind.
    if reads then
      redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure, share(millis + ARGV[3], base))
    else
      redis.call('HSET', KEYS[1], tenure, '1')
    end
    if not shared or redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
      local expires = redis.pcall('PEXPIRE', KEYS[1], ARGV[3])
      if type(expires) ~= 'number' then
        -- The user may not, and a lock without an end would outlive everybody.
        redis.call('HDEL', KEYS[1], tenure, shared and tenure or 'shared')
        return expires
      end
    end
    if fence[4] then
      if fence[4] == 'turn' then
        redis.call('HSET', KEYS[2], 'waits', 1)
      end
      redis.call('ZREM', KEYS[3], channel(ARGV[1]))
      redis.call('HDEL', KEYS[2], 'w:' .. ARGV[1])
      if redis.call('EXISTS', KEYS[3]) == 1 then
        return -base
      end
    end
    return base
  end
end

local fence = redis.call('HMGET', KEYS[2], 'base', 'holder', blocker and 'w:' .. blocker or 'holder')
local base = tonumber(fence[1])
local holder = fence[2]
local since = base
local remaining = redis.call('PTTL', KEYS[1])
local tell = {}
if blocker then
  local alive = math.max(1, math.ceil((dead_at - micros) / 1000))
  if shared then
    remaining = math.min(remaining, alive)
  else
    -- The lock is free, but it is the turn of another, who may not have heard of it.
    remaining = alive
    since = micros
    holder = string.match(fence[3], '^%a %d+ %d+ %d+ (.*)$')
    redis.pcall('PUBLISH', channel(blocker), KEYS[1])
  end
elseif shared then
  tell = readers
  since = oldest.base
  holder = oldest.holder
elseif fields > 1 then
  return {'hash of ' .. fields .. ' fields'}
else
  local holding = redis.call('HKEYS', KEYS[1])[1]
  if holding == tenure then
    if not base then
      -- Somebody has removed the fence.
      base = proposed or micros
      redis.call('HSET', KEYS[2], 'base', base, 'holder', ARGV[5])
      redis.call('PEXPIRE', KEYS[2], ARGV[4] + ARGV[3])
    end
    if ARGV[10] == 'y' and proposed > base then
      base = proposed
      redis.call('HSET', KEYS[2], 'base', base)
    end
    if remaining < tonumber(ARGV[3]) then
      redis.call('PEXPIRE', KEYS[1], ARGV[3])
    end
    return redis.call('EXISTS', KEYS[3]) == 1 and -base or base
  end
  local client = string.match(holding, '^(%x+):%d+$')
  if not client or #client ~= 32 then
    return {'hash of another layout'}
  end
  tell = {client}
  holder = holder or holding
end

if ARGV[6] == '' then
  -- A former master may have missed the release: only a server that takes writes may refuse.
  redis.call('HDEL', KEYS[1], '')
else
  redis.call('ZADD', KEYS[3], place, channel(ARGV[1]))
  redis.call('PEXPIRE', KEYS[3], 10000)
  local hears = string.sub(ARGV[6], 1, 1)
  redis.call('HSET', KEYS[2], 'waits', waits, 'w:' .. ARGV[1],
      string.format('%s %.0f %s %s %s', hears == 'g' and string.upper(mode) or mode, micros,
          hears == 'p' and '0' or ARGV[2], ARGV[3], ARGV[5]))
  if not base then
    redis.call('PEXPIRE', KEYS[2], ARGV[4] + math.max(0, remaining))
  end
  -- Tells the holders that they are waited for.
  for _, client in ipairs(tell) do
    if client ~= ARGV[1] then
      redis.pcall('PUBLISH', channel(client), '?' .. KEYS[1])
    end
  end
end
local held = since and math.max(0, math.floor((micros - since) / 1000)) or 0
return {remaining, holder or 'unknown', held, ARGV[6] ~= '' and place or '', micros}
