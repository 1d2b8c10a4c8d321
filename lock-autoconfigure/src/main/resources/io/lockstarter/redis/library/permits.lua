-- Check of whether a permit can be granted.

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

-- Returns the lower of two numbers, of which the first may be missing.
local function lower(one, other)
  return one and math.min(one, other) or other
end

-- Returns the fields of the client and the number of holders if a permit is free for the client;
-- otherwise nil and the reply. Clients that have waited longer keep their permits, and are notified in
-- case they missed a message.
local function known_if_permitted(lock, flagged, position, permits)
  local count, readers, first, differing = count_shares(lock, flagged, position, permits)
  if not count then
    return nil, readers
  end
  local known = read_clients()
  if known.err then
    return nil, reply_for_clients(known)
  end
  if has_ended(known) then
    return nil, 0
  end
  forget_the_gone(known)

  local taken, dies, ahead = count, nil, nil
  local blocking, seen, waiting = first_before(taken < permits and position or 0, function(kind, holder, seen_at, client)
    local limit = permits_of(kind, holder)
    if limit == 1 and taken == 0 or limit > taken and is_permit(kind) then
      redis.pcall('PUBLISH', channel(client), KEYS[1])
    end
    if limit <= math.max(taken, 1) then
      return false
    end
    taken = is_permit(kind) and taken + 1 or taken
    dies, ahead = lower(dies, seen_at), ahead or holder
    return true
  end)
  if not blocking and taken < permits then
    return known, count
  end
  -- This client retries when one of them would count as dead.
  dies = blocking and lower(dies, seen) or dies
  local alive = dies and math.max(1, math.ceil((dies + 2000000 - micros) / 1000))
  if not first then
    return nil, refuse('p', position, alive, micros, ahead or waiting)
  end
  local reply = refuse_held(lock, 'p', position, lower(alive, math.max(0, first[1] - millis)), tonumber(first[2]), first[3])
  reply[6], reply[7] = count - 1, differing
  if WAIT_MODE ~= '' then
    notify_holders(readers)
  end
  return nil, reply
end
