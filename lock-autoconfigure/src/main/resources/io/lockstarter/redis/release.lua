-- Ends a tenure, whether it is held, unknown, or still on its way, takes the lock away from
-- it, or turns it into a reader's; and if others can have the lock then, grants it to those whose turn it is, or
-- wakes them. Only commands that a full Redis accepts run unguarded.
--
-- KEYS 1 lock, 2 waiters, 3 fence: as the acquire script says
-- ARGV 1 client id, 2 sequence: together the tenure, which another client may oust
--      3 retention of the fence in ms
--      4 what this client does next: y if it goes on waiting should another one be woken; r if
--        it asks again at once and nobody need be woken; s if it stays among the waiters when
--        it is there; k likewise, and nobody need be woken; d if it goes on as a reader;
--        o if it is ousted, of which it is told, and which counts as if it had not held the
--        lock; empty if it leaves
--      5 'c' in a cluster, where PUBLISH does not count all subscribers
--      6 with y, what it waits with: mode, sequence, lease and holder, as the acquire script
--        says
--      7 with y, the time in microseconds that it has waited already, which counts if it is fair
-- Returns 1 released; 2 released before, by an earlier arrival of the same command; 3 it did
--         not hold the lock
--         {the same, place}  this client yielded to another and goes on waiting
local intent = ARGV[4]
local registration = ARGV[6] or ''
local tenure = ARGV[1] .. ':' .. ARGV[2]
local time = nil
local function now()
  if not time then
    local parts = redis.call('TIME')
    time = parts[1] * 1000000 + parts[2]
  end
  return time
end

-- The wake channel of a client.
local function channel(client)
  return string.match(KEYS[1], '^[^{]*') .. 'wake:' .. client
end

local fence = redis.pcall('HMGET', KEYS[3], ARGV[1], 'waits')
local outcome = 3
-- The key of the lock may hold something else.
local held = redis.pcall(intent == 'd' and 'HGET' or 'HDEL', KEYS[1], tenure)
if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
  return held
end
if intent == 'd' then
  if type(held) ~= 'string' then
    return 3
  end
  outcome = 1
  if not string.find(held, ' ', 1, true) then
    local deadline = math.floor(now() / 1000) + redis.call('PTTL', KEYS[1])
    local last = redis.pcall('HMGET', KEYS[3], 'base', 'holder')
    -- A full Redis accepts a write that follows one that it accepts.
    redis.call('HDEL', KEYS[1], '')
    redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure,
        string.format('%.0f %.0f %s', deadline, tonumber(last[1]) or now(), last[2] or 'unknown'))
  end
else
  local sequence = tonumber(ARGV[2])
  local given_up = held == 1 and intent ~= 'o'
  local marks = fence[1] or ''
  local highest = string.match(marks, '^%S+') or '0'
  if held == 1 then
    outcome = 1
    if redis.call('HLEN', KEYS[1]) == 1 then
      -- The last reader has gone.
      redis.call('DEL', KEYS[1])
    end
  elseif string.find(' ' .. marks .. ' ', ' ' .. ARGV[2] .. ' ', 1, true) then
    outcome = 2
  end
  if sequence > tonumber(highest) then
    if string.find(highest, '.', 1, true) then
      -- It had not been held, and is below the new one.
      marks = string.sub(marks, #highest + 2)
    end
    marks = ARGV[2] .. (given_up and '' or '.5') .. (marks ~= '' and ' ' .. marks or '')
  elseif given_up then
    -- A later tenure of this client has ended first.
    marks = highest .. ' ' .. ARGV[2] .. string.sub(marks, #highest + 1)
  end
  if marks ~= (fence[1] or '') then
    if #marks > 64 then
      -- A hash with a longer value takes more than twice the memory.
      marks = string.match(string.sub(marks, 1, 65), '^(.*) ')
    end
    local added = redis.pcall('HSET', KEYS[3], ARGV[1], marks)
    if added == 1 and redis.call('PTTL', KEYS[3]) < 0 then
      redis.call('PEXPIRE', KEYS[3], ARGV[3])
    end
  end
end

if intent == 'o' and held == 1 then
  redis.pcall('PUBLISH', channel(ARGV[1]), '-' .. KEYS[1])
end
if not fence[2] or (held == 1 and intent == 'r') or intent == 'k' then
  return outcome
end
local yields = intent == 'y'
if outcome ~= 2 and intent ~= 's' and intent ~= 'd' and intent ~= 'o' then
  -- Not for a repeated command: this client may have begun to wait again.
  redis.call('ZREM', KEYS[2], channel(ARGV[1]))
  redis.call('HDEL', KEYS[3], 'w:' .. ARGV[1])
end

-- Puts this client among the waiters.
local function wait(place)
  redis.pcall('ZADD', KEYS[2], place, channel(ARGV[1]))
  local mode, rest = string.match(registration, '^(%a) (.*)$')
  if mode then
    redis.pcall('HSET', KEYS[3], 'waits', 1, 'w:' .. ARGV[1], string.format('%s %.0f %s', mode, now(), rest))
  end
  redis.call('PEXPIRE', KEYS[2], 10000)
  return {outcome, place}
end

local shared = false
if redis.call('EXISTS', KEYS[1]) == 1 then
  shared = redis.pcall('HGET', KEYS[1], 'shared') == 'lock-starter'
  if not shared then
    return outcome
  end
end
local place = nil
local mode = string.lower(string.sub(registration, 1, 1))
if yields and mode == 'f' then
  place = now() - ARGV[7]
  local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  if first[2] and place < tonumber(first[2]) then
    -- It is its own turn again.
    return outcome
  end
end

-- Takes the clients whose turn it is from the waiters: all readers up to the first that is
-- none, or one other.
local function take()
  local taken = {}
  local first = redis.call('ZPOPMIN', KEYS[2])
  while first[1] do
    local client = string.sub(first[1], -32)
    local registered = redis.pcall('HMGET', KEYS[3], 'w:' .. client, client)
    local kind, seen, sequence, lease, holder =
        string.match(registered[1] or '', '^(%a) (%d+) (%d+) (%d+) (.*)$')
    local reads = kind == 'r' or kind == 'R'
    local alive = not kind or now() - seen <= 2000000
    if alive and not reads and (shared or #taken > 0) then
      redis.pcall('ZADD', KEYS[2], first[2], first[1])
      redis.call('PEXPIRE', KEYS[2], 10000)
      return taken
    end
    if alive then
      local offers = kind and string.upper(kind) == kind and ARGV[5] ~= 'c'
          and tonumber(string.match(registered[2] or '0', '^%S+')) < tonumber(sequence)
      taken[#taken + 1] = {client = client, place = first[2], reads = reads, offers = offers,
          sequence = sequence, lease = lease, holder = holder}
    else
      redis.call('HDEL', KEYS[3], 'w:' .. client)
    end
    if alive and not reads then
      return taken
    end
    first = redis.call('ZPOPMIN', KEYS[2])
  end
  return taken
end

-- Takes the lock back from a client that it was granted to.
local function take_back(waiter)
  redis.call('HDEL', KEYS[1], waiter.client .. ':' .. waiter.sequence)
  if redis.call('HLEN', KEYS[1]) == 1 then
    redis.call('DEL', KEYS[1])
  end
end

-- Gives the lock to a client that waits, for a second at most: it hears of that by the
-- message returned, or nobody does. Nil if it is to ask by itself.
local function grant(waiter)
  local last = redis.pcall('HMGET', KEYS[3], 'base', 'top')
  local base = math.max(now(), (tonumber(last[1]) or 0) + 16, (tonumber(last[2]) or 0) + 1)
  if not waiter.offers or base > 9007199254740960 then
    return nil
  end
  local provisional = math.min(tonumber(waiter.lease), 1000)
  local field = waiter.client .. ':' .. waiter.sequence
  local written = redis.pcall('HSET', KEYS[3], 'base', base, 'holder', waiter.holder)
  if type(written) == 'number' and waiter.reads then
    written = redis.pcall('HSET', KEYS[1], 'shared', 'lock-starter', field,
        string.format('%.0f %.0f %s', math.floor(now() / 1000) + provisional, base, waiter.holder))
  elseif type(written) == 'number' then
    written = redis.pcall('HSET', KEYS[1], field, '1')
  end
  if type(written) ~= 'number' then
    return nil
  end
  if redis.call('PTTL', KEYS[1]) < provisional
      and type(redis.pcall('PEXPIRE', KEYS[1], provisional)) ~= 'number' then
    take_back(waiter)
    return nil
  end
  if redis.call('PTTL', KEYS[3]) < ARGV[3] + waiter.lease then
    redis.call('PEXPIRE', KEYS[3], ARGV[3] + waiter.lease)
  end
  return string.format('!%s %.0f %.0f %d', waiter.sequence, base, now(), provisional)
end

-- Tells a client of its turn; a grant that reaches nobody is taken back. One that is to ask
-- by itself, and exclude others, keeps its place until it does.
local function tell(waiter, granted, wanted)
  local message = granted and string.format('%s %d %s', granted, wanted, KEYS[1]) or KEYS[1]
  local reached = redis.pcall('PUBLISH', channel(waiter.client), message)
  local told = type(reached) == 'number' and (reached > 0 or ARGV[5] == 'c')
  if told and not granted and not waiter.reads then
    redis.pcall('ZADD', KEYS[2], waiter.place, channel(waiter.client))
    redis.call('PEXPIRE', KEYS[2], 10000)
  else
    redis.call('HDEL', KEYS[3], 'w:' .. waiter.client)
  end
  if told then
    return true
  end
  if granted then
    take_back(waiter)
  end
  return false
end

local woken = false
local taken = take()
while taken[1] and not woken do
  -- A reader may join other readers at once.
  yields = yields and not (taken[1].reads and mode == 'r')
  for _, waiter in ipairs(taken) do
    waiter.granted = grant(waiter)
  end
  local wanted = (yields or redis.call('EXISTS', KEYS[2]) == 1) and 1 or 0
  for _, waiter in ipairs(taken) do
    woken = tell(waiter, waiter.granted, wanted) or woken
  end
  taken = woken and {} or take()
end
if woken and yields then
  return wait(place or now())
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('HDEL', KEYS[3], 'waits')
end
return outcome
