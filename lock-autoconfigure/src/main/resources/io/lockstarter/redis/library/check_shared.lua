-- Check of whether a shared request can be granted.

-- Returns the fields of the client, which the function read returns, if the reader may have the lock,
-- and whether other readers hold it; otherwise nil and the reply. inspects says whether to remove expired
-- readers.
local function known_if_open(lock, read, flagged, inspects, position)
  local shared = is_shared(lock)
  if inspects then
    local readers, foreign = living_readers()
    if not readers then
      return nil, foreign
    end
    shared = #readers > 0
  elseif not shared then
    local reply = reply_by_holder(lock, flagged, 'r', position)
    if reply then
      return nil, reply
    end
  end
  local known = read()
  if known.err then
    return nil, reply_for_clients(known)
  end
  if has_ended(known) then
    return nil, 0
  end
  forget_the_gone(known)
  local reply = reply_if_behind('r', position, lock, shared)
  if reply then
    return nil, reply
  end
  return known, shared
end
