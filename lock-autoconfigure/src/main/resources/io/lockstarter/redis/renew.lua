-- Confirms tenures and writes their hold counts, or the deadlines of readers; a full Redis
-- keeps the old count.
--
-- KEYS for each tenure: lock, fence, as the acquire script says
-- ARGV 1 retention of the fence in ms, then for each tenure:
--      tenure, absolute hold count, lease in ms or 0 to leave it
-- Returns for each tenure 1 if it holds its lock, else 0
local verdicts = {}

local time = nil
local function now_millis()
  if not time then
    local parts = redis.call('TIME')
    time = parts[1] * 1000 + math.floor(parts[2] / 1000)
  end
  return time
end

-- Makes the lock last for a lease at least, and not shorter: this may be a late command.
local function extend(lock, fence, lease)
  if lease > 0 and redis.call('PTTL', lock) < lease then
    redis.call('PEXPIRE', lock, lease)
    if redis.call('PTTL', fence) < ARGV[1] + lease then
      redis.call('PEXPIRE', fence, ARGV[1] + lease)
    end
  end
end

-- Makes the share of a reader last; false if it is over, even while others keep the lock.
local function extend_share(lock, fence, tenure, lease, deadline, rest)
  local millis = now_millis()
  if tonumber(deadline) < millis then
    redis.call('HDEL', lock, tenure)
    if redis.call('HLEN', lock) == 1 then
      -- It was the last reader.
      redis.call('DEL', lock)
    end
    return false
  end
  extend(lock, fence, lease)
  if millis + lease > tonumber(deadline) then
    -- A full Redis accepts a write that follows one that it accepts.
    redis.call('HDEL', lock, '')
    redis.call('HSET', lock, tenure, string.format('%.0f %s', millis + lease, rest))
  end
  return true
end

for i = 1, #KEYS / 2 do
  local lock, fence = KEYS[2 * i - 1], KEYS[2 * i]
  local tenure, count, lease = ARGV[3 * i - 1], ARGV[3 * i], tonumber(ARGV[3 * i + 1])
  -- A former master may have missed the grant: only a server that takes writes may deny it.
  local held = redis.pcall('HGET', lock, tenure) or redis.pcall('HDEL', lock, '')
  if type(held) == 'string' then
    local deadline, rest = string.match(held, '^(%d+) (.*)$')
    local kept = true
    if rest then
      kept = extend_share(lock, fence, tenure, lease, deadline, rest)
    else
      if held ~= count then
        redis.pcall('HSET', lock, tenure, count)
      end
      extend(lock, fence, lease)
    end
    verdicts[i] = kept and 1 or 0
  elseif type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  else
    verdicts[i] = 0
  end
end
return verdicts
