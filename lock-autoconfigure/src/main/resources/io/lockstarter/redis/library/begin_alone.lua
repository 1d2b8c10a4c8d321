-- Lets a tenure have the lock alone.

local function begin_alone(fence, base)
  if not base then
    return {'fence without a usable base'}
  end
  write_fence(base, fence[3])
  redis.call('HSET', KEYS[1], tenure, '1')
  return expire_lock(false) or base
end
