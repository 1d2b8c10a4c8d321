-- Check of whether an exclusive request can be granted.

-- Returns the fields of the client, which the function read returns, if the lock is free for the
-- tenure; otherwise nil and the reply.
local function known_if_free(lock, read, flagged, mode, place)
  if is_shared(lock) then
    local readers, since, holder = living_readers()
    if not readers then
      return nil, since
    end
    if #readers > 0 then
      local answer = refuse_held(lock, mode, place, redis.call('PTTL', KEYS[1]), since, holder)
      if ARGV[7] ~= '' then
        tell_wanted(readers)
      end
      return nil, answer
    end
  else
    local answer = answer_by_holder(lock, flagged, mode, place)
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
  if known[4] or mode == 'f' then
    local answer = answer_if_behind(mode, place, lock, false)
    if answer then
      return nil, answer
    end
  end
  return known
end
