-- Lets a tenure have the lock alone.

-- Returns the fence if the lock is free for the tenure, else nil and the answer.
local function free_fence(fields, mode, place, in_place_of_lost, lowest)
  if fields > 1 and is_shared() then
    local readers, since, holder = living_readers()
    if not readers then
      return nil, since
    end
    if #readers > 0 then
      local fence = redis.call('HMGET', KEYS[2], 'base')
      local answer = refuse(mode, place, 1, fence, redis.call('PTTL', KEYS[1]), since, holder)
      if ARGV[6] ~= '' then
        tell_wanted(readers)
      end
      return nil, answer
    end
    fields = 0
  end
  if fields > 0 then
    return nil, answer_by_holder(fields, mode, place, in_place_of_lost, lowest)
  end
  local fence = read_fence()
  if has_ended(fence) then
    return nil, 0
  end
  if fence[4] == 'turn' or fence[4] and mode == 'f' then
    local answer = answer_if_behind(mode, place, fence[4], false)
    if answer then
      return nil, answer
    end
  end
  return fence
end

local function begin_alone(fence, base)
  if not base then
    return {'fence without a usable base'}
  end
  write_fence(base, fence[3])
  redis.call('HSET', KEYS[1], tenure, '1')
  return expire_lock(false) or granted(base, fence[4])
end
