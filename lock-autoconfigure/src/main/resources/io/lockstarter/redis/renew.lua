-- Confirms tenures and writes their hold counts; a full Redis keeps the old count.
--
-- KEYS for each tenure: lock, fence
-- ARGV 1 retention of the fence in ms, then for each tenure:
--      tenure, absolute hold count, lease in ms or 0 to leave it
-- Returns for each tenure 1 if it holds its lock, else 0
local verdicts = {}
for i = 1, #KEYS / 2 do
  local lock, fence = KEYS[2 * i - 1], KEYS[2 * i]
  local tenure, count, lease = ARGV[3 * i - 1], ARGV[3 * i], tonumber(ARGV[3 * i + 1])
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
    verdicts[i] = 1
  elseif held and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  else
    verdicts[i] = 0
  end
end
return verdicts
