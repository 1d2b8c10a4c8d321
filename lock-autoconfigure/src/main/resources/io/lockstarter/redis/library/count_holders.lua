-- Number of holders of a shared lock.

-- Returns the number of holders unless one holds the lock exclusively, their clients, the holder whose
-- lease ends first, and a holder with another number of permits or ''. Otherwise returns nil and the
-- reply.
local function count_shares(lock, flagged, position, permits)
  if not is_shared(lock) then
    local reply = reply_by_holder(lock, flagged, 'p', position)
    return not reply and 0 or nil, reply
  end
  local readers, foreign, _, first, holders = living_readers()
  if not readers then
    return nil, foreign
  end
  local differing = ''
  for _, holder in ipairs(holders) do
    local number = permits_in(holder)
    if number > 1 and number ~= permits then
      differing = holder
    end
  end
  return #readers, readers, first, differing
end
