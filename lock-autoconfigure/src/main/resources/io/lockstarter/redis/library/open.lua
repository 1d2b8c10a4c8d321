-- Check of whether a shared request can be granted.

-- Returns the fields of the client, which the function read returns, if the reader may have the lock,
-- and whether other readers hold it; otherwise nil and the reply. looks says whether to remove expired
-- readers.
local function known_if_open(lock, read, flagged, looks, place)
  local shared = is_shared(lock)
  if looks then
    local readers, foreign = living_readers()
    if not readers then
      return nil, foreign
    end
    shared = #readers > 0
  elseif not shared then
    local answer = answer_by_holder(lock, flagged, 'r', place)
    if answer then
      return nil, answer
    end
  end
  local known = read()
  if known.err then
    return nil, answer_beside(known)
  end
  if has_ended(known) then
    return nil, 0
  end
  forget_the_gone(known)
  local answer = answer_if_behind('r', place, lock, shared)
  if answer then
    return nil, answer
  end
  return known, shared
end
