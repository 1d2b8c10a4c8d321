-- Lets a reader's tenure have the lock.

-- Whether to look at the other readers, which a reader need not know: it forgets dead ones where
-- there are many, by a chance that makes it look at 16 on average, however many there are.
local function is_time_to_look(fields)
  return fields > 64 and micros % fields < 16
end

-- Grants the lock again to a reader, whose base is the lowest that is asked for at least.
local function confirm_share(fence, own, lowest)
  local deadline, first = parse_share(own)
  local base = math.max(tonumber(first), lowest)
  if base > (tonumber(fence[2]) or 0) then
    redis.call('HSET', KEYS[2], 'base', base)
    if redis.call('PTTL', KEYS[2]) < 0 then
      -- Somebody has removed the fence.
      redis.call('PEXPIRE', KEYS[2], ARGV[4] + ARGV[3])
    end
  end
  -- Never shorter: this may be a late command.
  redis.call('HSET', KEYS[1], tenure, share(math.max(tonumber(deadline), millis + ARGV[3]), base, ARGV[5]))
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or base
end

local function begin_reading(fence, base, joins)
  if not base then
    return {'fence without a usable base'}
  end
  write_fence(base, fence[3])
  redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure, share(millis + ARGV[3], base, ARGV[5]))
  return expire_lock(joins) or base
end
