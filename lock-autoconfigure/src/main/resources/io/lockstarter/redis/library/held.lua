-- Answers a request for a lock that is held.

-- Grants the lock again to the tenure that has it alone, whose base is the lowest that is
-- asked for at least, or that which takes the place of one that is lost.
local function confirm(in_place_of_lost, lowest)
  local base = tonumber(redis.call('HGET', KEYS[2], 'base'))
  if not base then
    -- Somebody has removed the fence.
    base = in_place_of_lost
    redis.call('HSET', KEYS[2], 'base', base, 'holder', ARGV[5])
    redis.call('PEXPIRE', KEYS[2], ARGV[4] + ARGV[3])
  end
  if base < lowest then
    base = lowest
    redis.call('HSET', KEYS[2], 'base', base)
  end
  -- Never shorter: this may be a late command.
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or base
end

-- The answer to a request for a lock that one tenure has alone.
local function answer_by_holder(fields, mode, place, in_place_of_lost, lowest)
  if fields > 1 then
    return {'hash of ' .. fields .. ' fields'}
  end
  local holding = redis.call('HKEYS', KEYS[1])[1]
  if holding == tenure then
    return confirm(in_place_of_lost, lowest)
  end
  local client = client_of(holding)
  if not client then
    return {'hash of another layout'}
  end
  local fence = redis.call('HMGET', KEYS[2], 'base', 'holder')
  local answer = refuse(mode, place, 1, fence, redis.call('PTTL', KEYS[1]), tonumber(fence[1]), fence[2] or holding)
  if ARGV[6] ~= '' then
    tell_wanted({client})
  end
  return answer
end
