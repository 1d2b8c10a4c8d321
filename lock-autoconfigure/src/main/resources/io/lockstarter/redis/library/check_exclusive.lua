-- Check of whether an exclusive request can be granted.

-- Returns the fields of the client, which the function read returns, if the lock is free for the
-- tenure; otherwise nil and the reply.
local function known_if_free(lock, read, flagged, mode, position)
  if is_shared(lock) then
    local readers, since, holder = living_readers()
    if not readers then
      return nil, since
    end
    if #readers > 0 then
      local reply = refuse_held(lock, mode, position, redis.call('PTTL', KEYS[1]), since, holder)
      if WAIT_MODE ~= '' then
        notify_holders(readers)
      end
      return nil, reply
    end
  else
    local reply = reply_by_holder(lock, flagged, mode, position)
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
  if known[4] or mode == 'f' then
    local reply = reply_if_behind(mode, position, lock, false)
    if reply then
      return nil, reply
    end
  end
  return known
end
