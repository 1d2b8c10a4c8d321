-- Clients that are ahead of this one in the queue.

-- Refuses the request if another client is next, else returns nil.
local function reply_if_behind(mode, position, lock, shared)
  local client, seen, waiting = first_before(position, function(kind)
    return mode == 'r' and string.lower(kind) == 'r'
  end)
  if not client then
    return nil
  end
  -- This client retries when the other client would count as dead.
  local alive = math.max(1, math.ceil((seen + 2000000 - micros) / 1000))
  if shared then
    local remaining = math.min(redis.call('PTTL', KEYS[1]), alive)
    local base, holder = parse_by(lock[2])
    return refuse_held(lock, mode, position, remaining, tonumber(base), holder or 'unknown')
  end
  -- The lock is free, but the other client may not have been notified.
  redis.pcall('PUBLISH', channel(client), KEYS[1])
  return refuse(mode, position, alive, micros, waiting)
end
