-- Whether a lock is open to a reader.

-- Returns what is known of the client, which is to be read, if the lock is open to the reader, and
-- whether others have it; else nil and the answer. Looks at the other readers if it is to.
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
