-- Whether a lock is free for one who would have it alone.

-- Returns the fence, which may have been read before, if the lock is free for the tenure, else
-- nil and the answer.
local function free_fence(fields, fence, mode, place, in_place_of_lost, lowest)
  if fields > 1 and is_shared() then
    local readers, since, holder = living_readers()
    if not readers then
      return nil, since
    end
    if #readers > 0 then
      local noted = redis.call('HMGET', KEYS[2], 'base')
      local answer = refuse(mode, place, 1, noted, redis.call('PTTL', KEYS[1]), since, holder)
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
  fence = fence or read_fence()
  if has_ended(fence) then
    return nil, 0
  end
  forget_the_gone(fence)
  if fence[4] == 'turn' or fence[4] and mode == 'f' then
    local answer = answer_if_behind(mode, place, fence[4], false)
    if answer then
      return nil, answer
    end
  end
  return fence
end
