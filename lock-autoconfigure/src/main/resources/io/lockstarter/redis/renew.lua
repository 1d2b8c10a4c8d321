-- Confirms tenures and writes their hold counts, or the deadlines of readers; a full Redis
-- keeps the old count.
--
-- KEYS for each tenure: lock; then for each in the same order, in a quorum: fence
-- ARGV 1 retention of the fence in ms, then for each tenure:
--      tenure, absolute hold count, lease in ms or 0 to leave it
-- Returns for each tenure 1 if it holds its lock, else 0

--@ share
local verdicts = {}
local tenures = (#ARGV - 1) / 3

local time = nil
local function now_millis()
  if not time then
    local parts = redis.call('TIME')
    time = parts[1] * 1000 + math.floor(parts[2] / 1000)
  end
  return time
end

-- Makes the lock last for a lease at least, and not shorter: this may be a late command.
local function extend(i, lease)
  if lease > 0 and redis.call('PTTL', KEYS[i]) < lease then
    redis.call('PEXPIRE', KEYS[i], lease)
    if KEYS[i + tenures] and redis.call('PTTL', KEYS[i + tenures]) < ARGV[1] + lease then
      redis.call('PEXPIRE', KEYS[i + tenures], ARGV[1] + lease)
    end
  end
end

-- Makes the share of a reader last; false if it is over, even while others keep the lock.
local function extend_share(i, tenure, lease, deadline, base, holder)
  local millis = now_millis()
  if tonumber(deadline) < millis then
    redis.call('HDEL', KEYS[i], tenure)
    local beside = redis.call('HMGET', KEYS[i], 'by', 'waits')
    if redis.call('HLEN', KEYS[i]) == 1 + (beside[1] and 1 or 0) + (beside[2] and 1 or 0) then
      -- It was the last reader.
      redis.call('DEL', KEYS[i])
    end
    return false
  end
  extend(i, lease)
  if millis + lease > tonumber(deadline) then
    -- A full Redis accepts a write that follows one that it accepts.
    redis.call('HDEL', KEYS[i], '')
    redis.call('HSET', KEYS[i], tenure, share(millis + lease, base, holder))
  end
  return true
end

for i = 1, tenures do
  local n = 3 * i - 1
  local tenure, count, lease = ARGV[n], ARGV[n + 1], tonumber(ARGV[n + 2])
  -- A former master may have missed the grant: only a server that takes writes may deny it.
  local held = redis.pcall('HGET', KEYS[i], tenure) or redis.pcall('HDEL', KEYS[i], '')
  local kept = type(held) == 'string'
  if kept then
    local deadline, base, holder = parse_share(held)
    if deadline then
      kept = extend_share(i, tenure, lease, deadline, base, holder)
    else
      if held ~= count then
        redis.pcall('HSET', KEYS[i], tenure, count)
      end
      extend(i, lease)
    end
  elseif type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  end
  verdicts[#verdicts + 1] = kept and 1 or 0
end
return verdicts
