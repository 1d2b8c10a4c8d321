-- Whose turn it is before this client's.

-- Refuses if it is another's turn, else returns nil.
local function answer_if_behind(mode, place, lock, shared)
  local client, seen, waiting = first_before(place, function(kind)
    return mode == 'r' and string.lower(kind) == 'r'
  end)
  if not client then
    return nil
  end
  -- It asks again when the other would be dead.
  local alive = math.max(1, math.ceil((seen + 2000000 - micros) / 1000))
  if shared then
    local remaining = math.min(redis.call('PTTL', KEYS[1]), alive)
    local base, holder = parse_by(lock[2])
    return refuse_held(lock, mode, place, remaining, tonumber(base), holder or 'unknown')
  end
  -- The lock is free, but the other may not have heard of it.
  redis.pcall('PUBLISH', channel(client), KEYS[1])
  return refuse(mode, place, alive, micros, waiting)
end
