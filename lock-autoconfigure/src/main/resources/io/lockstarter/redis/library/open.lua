-- Whether a lock is open to a reader.

-- Returns the fence, which may have been read before, if the lock is open to the reader, whether
-- others have it, and what it says of the tenure; else nil and the answer. Looks at the other
-- readers if it is to.
local function open_fence(fields, shared, looks, fence, place, in_place_of_lost, lowest)
  if looks then
    local readers, foreign = living_readers()
    if not readers then
      return nil, foreign
    end
    fields, shared = #readers, #readers > 0
  end
  if fields > 0 and not shared then
    return nil, answer_by_holder(fields, 'r', place, in_place_of_lost, lowest)
  end
  if not fence then
    fence = read_fence()
    local own = shared and redis.call('HGET', KEYS[1], tenure)
    if own then
      return fence, shared, own
    end
  end
  if has_ended(fence) then
    return nil, 0
  end
  forget_the_gone(fence)
  local answer = fence[4] and answer_if_behind('r', place, fence[4], shared)
  if answer then
    return nil, answer
  end
  return fence, shared
end
