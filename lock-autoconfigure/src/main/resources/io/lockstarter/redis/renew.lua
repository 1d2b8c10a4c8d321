-- Confirms tenures and writes their hold counts; a full Redis keeps the old count.
--
-- KEYS for each tenure: lock, fence
-- ARGV 1 retention of the fence in ms, then for each tenure:
--      tenure, absolute hold count, lease in ms or 0 to leave it, '1' to reserve token bases
-- Returns for each tenure 0 if it does not hold its lock, else 1 or the first new token base
--
-- A number that is an argument or a reply keeps its integer value up to 2^53.
local verdicts = {}

-- Returns the first of 16 reserved bases, or 1 if there is no room for them.
local function reserve(lock, fence)
  local time = redis.call('TIME')
  local last = redis.call('HMGET', fence, 'base', 'top')
  local base = math.max(time[1] * 1000000 + time[2], (tonumber(last[1]) or 0) + 16, (tonumber(last[2]) or 0) + 1)
  local written = base > 9007199254740960 or redis.pcall('HSET', fence, 'top', base + 15)
  if type(written) ~= 'number' then
    return 1
  end
  if redis.call('PTTL', fence) < 0 then
    redis.call('PEXPIRE', fence, ARGV[1] + math.max(0, redis.call('PTTL', lock)))
  end
  return base
end

for i = 1, #KEYS / 2 do
  local lock, fence = KEYS[2 * i - 1], KEYS[2 * i]
  local tenure, count, lease = ARGV[4 * i - 2], ARGV[4 * i - 1], tonumber(ARGV[4 * i])
  local held = redis.pcall('HGET', lock, tenure)
  if type(held) == 'string' then
    if held ~= count then
      redis.pcall('HSET', lock, tenure, count)
    end
    -- Never shorter: this may be a late command.
    if lease > 0 and redis.call('PTTL', lock) < lease then
      redis.call('PEXPIRE', lock, lease)
      if redis.call('PTTL', fence) < ARGV[1] + lease then
        redis.call('PEXPIRE', fence, ARGV[1] + lease)
      end
    end
    verdicts[i] = ARGV[4 * i + 1] == '1' and reserve(lock, fence) or 1
  elseif held and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  else
    verdicts[i] = 0
  end
end
return verdicts
