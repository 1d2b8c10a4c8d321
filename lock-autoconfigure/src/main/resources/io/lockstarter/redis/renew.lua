-- Confirms tenures, and writes their hold counts or the deadlines of readers. A full Redis keeps the old
-- hold count.
--
-- KEYS the locks; then in a quorum the fence of each lock, in the same order
-- ARGV 1 retention of the fence in ms, 2 client id
--      3 absolute hold count of each tenure
--      4 lease of each tenure in ms, or 0 to keep it unchanged
--      5 ... sequence of each tenure
-- Returns for each tenure 1 if it holds its lock, else 0

--@ share
local verdicts = {}
local tenures = #ARGV - 4
local count, lease = ARGV[3], tonumber(ARGV[4])

local time = nil
local function now_millis()
  if not time then
    local parts = redis.call('TIME')
    time = parts[1] * 1000 + math.floor(parts[2] / 1000)
  end
  return time
end

-- Extends the expiry of the lock to the lease. A late command must not shorten it. Returns whether the
-- expiry was extended. Since Redis 7 one command suffices, except for a lock without expiry.
local function prolong(i)
  if redis.REDIS_VERSION_NUM and redis.call('PEXPIRE', KEYS[i], lease, 'GT') == 1 then
    return true
  end
  return redis.call('PTTL', KEYS[i]) < lease and redis.call('PEXPIRE', KEYS[i], lease) == 1
end

local function extend(i)
  if lease > 0 and prolong(i) and KEYS[i + tenures]
      and redis.call('PTTL', KEYS[i + tenures]) < ARGV[1] + lease then
    redis.call('PEXPIRE', KEYS[i + tenures], ARGV[1] + lease)
  end
end

-- Extends the share of a reader. Returns false if the share has expired, even if other readers remain.
local function extend_share(i, tenure, deadline, base, holder)
  local millis = now_millis()
  if tonumber(deadline) < millis then
    redis.call('HDEL', KEYS[i], tenure)
    local fields = redis.call('HMGET', KEYS[i], 'by', 'waits')
    if redis.call('HLEN', KEYS[i]) == 1 + (fields[1] and 1 or 0) + (fields[2] and 1 or 0) then
      -- This was the last reader.
      redis.call('DEL', KEYS[i])
    end
    return false
  end
  extend(i)
  if millis + lease > tonumber(deadline) then
    -- A full Redis accepts a write that follows one that it accepts.
    redis.call('HDEL', KEYS[i], '')
    redis.call('HSET', KEYS[i], tenure, share(millis + lease, base, holder))
  end
  return true
end

for i = 1, tenures do
  local tenure = ARGV[2] .. ':' .. ARGV[4 + i]
  -- A demoted master may have missed the grant: only a server that accepts writes may deny it.
  local held = redis.pcall('HGET', KEYS[i], tenure) or redis.pcall('HDEL', KEYS[i], '')
  local kept = type(held) == 'string'
  if held == count then
    extend(i)
  elseif kept then
    local deadline, base, holder = parse_share(held)
    if deadline then
      kept = extend_share(i, tenure, deadline, base, holder)
    else
      redis.pcall('HSET', KEYS[i], tenure, count)
      extend(i)
    end
  elseif type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  end
  verdicts[#verdicts + 1] = kept and 1 or 0
end
return verdicts
