-- Confirms tenures and writes their hold counts; a full Redis keeps the old count.
--
-- KEYS for each tenure: lock, fence
-- ARGV 1 retention of the fence in ms, then for each tenure:
--      tenure, absolute hold count, lease in ms or 0 to leave it, token bases to reserve
-- Returns for each tenure 0 if it does not hold its lock, else 1 or the first new token base
local verdicts = {}

-- Returns the first of the reserved bases, or 1 if there is nothing to reserve or no room.
local function reserve(lock, fence, bases)
  if bases == 0 then
    return 1
  end
  local time = redis.call('TIME')
  local last = tonumber(redis.call('HGET', fence, 'base') or 0)
  if not last or last > 9007199254740991 - bases then
    return 1
  end
  local base = math.max(time[1] * 1000000 + time[2], last + 1)
  local written = redis.pcall('HSET', fence, 'base', string.format('%.0f', base + bases - 1))
  if type(written) == 'table' then
    return 1
  end
  redis.call('PEXPIRE', fence, ARGV[1] + math.max(0, redis.call('PTTL', lock)))
  return string.format('%.0f', base)
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
      redis.call('PEXPIRE', fence, ARGV[1] + lease)
    end
    verdicts[i] = reserve(lock, fence, tonumber(ARGV[4 * i + 1]))
  elseif held and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  else
    verdicts[i] = 0
  end
end
return verdicts
