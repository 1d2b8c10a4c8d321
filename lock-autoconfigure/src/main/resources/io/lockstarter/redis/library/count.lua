-- How many have a lock beside whom others may have it.

-- Returns how many have the lock, if none has it alone, and who they are: their clients, the one
-- whose lease ends first, and a holder with another number of permits, or ''. Else nil, and the
-- answer.
local function count_shares(lock, flagged, place, permits)
  if not is_shared(lock) then
    local answer = answer_by_holder(lock, flagged, 'p', place)
    return not answer and 0 or nil, answer
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
