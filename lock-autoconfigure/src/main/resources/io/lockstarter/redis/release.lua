-- Ends a tenure, whether it is held, unknown, or still on its way, takes the lock away from
-- it, or turns it into a reader's; and if others can have the lock then, grants it to those
-- whose turn it is, or wakes them. Only commands that a full Redis accepts run unguarded.
--
-- Who waits is told when all of this is done, and after a pause most of its time goes into
-- what is touched for the first time: kinds of commands, functions, tables.
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
--      6 with y, what it waits with: mode, sequence or 0, lease and holder, as the acquire
--        script says
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

-- The wake channel of this client.
local function own_channel()
  return string.match(KEYS[1], '^[^{]*') .. 'wake:' .. ARGV[1]
end

local fence = redis.pcall('HMGET', KEYS[3], ARGV[1], 'waits', 'w:' .. ARGV[1])
local outcome = 3
-- How many fields the lock has yet, if that is known.
local fields = nil
-- The key of the lock may hold something else.
local held = redis.pcall(intent == 'd' and 'HGET' or 'HDEL', KEYS[1], tenure)
if not held then
  -- A former master may have missed the grant: only a server that takes writes may deny it.
  held = redis.pcall('HDEL', KEYS[1], '')
end
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
    fields = redis.call('HLEN', KEYS[1])
    if fields == 1 then
      -- The last reader has gone.
      redis.call('DEL', KEYS[1])
      fields = 0
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
  redis.pcall('PUBLISH', own_channel(), '-' .. KEYS[1])
end
if not fence[2] or (held == 1 and intent == 'r') or intent == 'k' then
  return outcome
end
local stays = intent == 's' or intent == 'd' or intent == 'o'
-- Who is granted the lock is no waiter any more, unless it has registered since.
if outcome ~= 2 and not stays and (held ~= 1 or fence[3]) then
  -- Not for a repeated command: this client may have begun to wait again.
  redis.call('ZREM', KEYS[2], own_channel())
  redis.call('HDEL', KEYS[3], 'w:' .. ARGV[1])
end

local shared = false
if (fields or redis.pcall('HLEN', KEYS[1])) ~= 0 then
  shared = redis.pcall('HGET', KEYS[1], 'shared') == 'lock-starter'
  if not shared then
    return outcome
  end
end
local micros = now()
local place = micros
local yields = intent == 'y'
local mode = string.lower(string.sub(registration, 1, 1))
if yields and mode == 'f' then
  place = micros - ARGV[7]
  local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  if first[2] and place < tonumber(first[2]) then
    -- It is its own turn again.
    return outcome
  end
end

-- Whether clients are left among the waiters.
local others = false
-- What is noted of that: turn if the lock is kept for one that asks by itself.
local waits = 1
-- The lowest token base that may be given out.
local lowest = nil

local function put_back(waiter, score)
  redis.pcall('ZADD', KEYS[2], score, waiter)
  redis.call('PEXPIRE', KEYS[2], 10000)
  others = true
end

-- Whether a waiter may be alive that was last heard of at a time, in microseconds. One last
-- heard of after now is not: the clock was set back, and the living ask again. The acquire
-- and the release script have this function, word by word.
local function is_alive(now, seen)
  return math.abs(now - seen) <= 2000000
end

-- Takes the first client that is alive from the waiters. Returns its channel, its place, and
-- with what it waits: mode, in upper case if it can be granted the lock, sequence, lease and
-- holder.
local function take()
  local first = redis.call('ZPOPMIN', KEYS[2])
  while first[1] do
    local client = string.sub(first[1], -32)
    local known = redis.pcall('HMGET', KEYS[3], 'w:' .. client, client, 'base')
    local kind, seen, sequence, lease, holder =
        string.match(known[1] or '', '^(%a) (%d+) (%d+) (%d+) (.*)$')
    if not kind then
      return first[1], first[2], 'x'
    end
    if is_alive(micros, seen) then
      lowest = lowest or (tonumber(known[3]) or 0) + 16
      if ARGV[5] == 'c' or tonumber(string.match(known[2] or '0', '^%S+')) >= tonumber(sequence) then
        kind = string.lower(kind)
      end
      return first[1], first[2], kind, sequence, lease, holder
    end
    redis.call('HDEL', KEYS[3], 'w:' .. client)
    first = redis.call('ZPOPMIN', KEYS[2])
  end
end

-- Takes the lock back from a client that it was granted to.
local function take_back(waiter, sequence)
  redis.call('HDEL', KEYS[1], string.sub(waiter, -32) .. ':' .. sequence)
  if redis.call('HLEN', KEYS[1]) == 1 then
    redis.call('DEL', KEYS[1])
  end
end

-- Gives the lock to a client that waits, for a second at most: it hears of that by the
-- message returned, or nobody does. Nil if it is to ask by itself.
local function grant(waiter, kind, sequence, lease, holder)
  if kind ~= 'X' and kind ~= 'F' and kind ~= 'R' then
    return nil
  end
  -- Replicas pass messages on, also to one who is no subscriber here any more: it would take
  -- itself for the holder of a lock that is taken back, since its message has reached nobody.
  if redis.pcall('PUBLISH', waiter, '') == 0 then
    return nil
  end
  local base = math.max(micros, lowest)
  if base > 9007199254740960 then
    return nil
  end
  lowest = base + 16
  local written = redis.pcall('HSET', KEYS[3], 'base', base, 'holder', holder)
  local provisional = math.min(tonumber(lease), 1000)
  local field = string.sub(waiter, -32) .. ':' .. sequence
  if type(written) == 'number' and kind == 'R' then
    written = redis.pcall('HSET', KEYS[1], 'shared', 'lock-starter', field,
        string.format('%.0f %.0f %s', math.floor(micros / 1000) + provisional, base, holder))
  elseif type(written) == 'number' then
    written = redis.pcall('HSET', KEYS[1], field, '1')
  end
  if type(written) ~= 'number' then
    return nil
  end
  if (kind ~= 'R' or redis.call('PTTL', KEYS[1]) < provisional)
      and type(redis.pcall('PEXPIRE', KEYS[1], provisional)) ~= 'number' then
    take_back(waiter, sequence)
    return nil
  end
  if redis.call('PTTL', KEYS[3]) < ARGV[3] + lease then
    redis.call('PEXPIRE', KEYS[3], ARGV[3] + lease)
  end
  return string.format('!%s %.0f %.0f %d', sequence, base, micros, provisional)
end

-- Tells a client of its turn; a grant that reaches nobody is taken back. One that is to ask
-- by itself, and exclude others, keeps its place until it does. So does one that hears no
-- messages, or cannot be sent any, and nobody may overtake it meanwhile.
local function tell(waiter, score, excludes, sequence, granted, wanted)
  local message = granted and string.format('%s %d %s', granted, wanted and 1 or 0, KEYS[1]) or KEYS[1]
  local reached = redis.pcall('PUBLISH', waiter, message)
  local told = type(reached) == 'number' and (reached > 0 or ARGV[5] == 'c')
  local polls = sequence == '0' or sequence and type(reached) ~= 'number'
  if polls then
    waits = 'turn'
  end
  if polls or told and not granted and excludes then
    put_back(waiter, score)
  else
    redis.call('HDEL', KEYS[3], 'w:' .. string.sub(waiter, -32))
  end
  if granted and not told then
    take_back(waiter, sequence)
  end
  return told or polls
end

local woken = false
local waiter, score, kind, sequence, lease, holder = take()
while waiter and not woken do
  if kind ~= 'r' and kind ~= 'R' then
    if shared then
      put_back(waiter, score)
      break
    end
    local granted = grant(waiter, kind, sequence, lease, holder)
    others = redis.call('EXISTS', KEYS[2]) == 1
    woken = tell(waiter, score, true, sequence, granted, yields or others)
  else
    -- All readers up to the first that is none; this client may join them at once.
    local readers = {}
    repeat
      readers[#readers + 1] = {waiter, score, sequence, grant(waiter, kind, sequence, lease, holder)}
      waiter, score, kind, sequence, lease, holder = take()
    until not waiter or kind ~= 'r' and kind ~= 'R'
    if waiter then
      put_back(waiter, score)
    end
    yields = yields and mode ~= 'r'
    for _, reader in ipairs(readers) do
      woken = tell(reader[1], reader[2], false, reader[3], reader[4], yields or others) or woken
    end
  end
  if not woken then
    others = false
    waiter, score, kind, sequence, lease, holder = take()
  end
end
if woken and yields then
  -- It goes on waiting.
  redis.pcall('ZADD', KEYS[2], place, own_channel())
  local with, rest = string.match(registration, '^(%a) (.*)$')
  if with then
    redis.pcall('HSET', KEYS[3], 'waits', waits, 'w:' .. ARGV[1],
        string.format('%s %.0f %s', with, micros, rest))
  end
  redis.call('PEXPIRE', KEYS[2], 10000)
  return {outcome, place}
end
if not others then
  redis.call('HDEL', KEYS[3], 'waits')
elseif waits ~= 1 or fence[2] ~= '1' then
  redis.pcall('HSET', KEYS[3], 'waits', waits)
end
return outcome
