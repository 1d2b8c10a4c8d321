-- Whose turn it is before this client's.

-- Returns the first client with an earlier place that may not be passed, the time when it was
-- last heard of, and its holder; forgets those who have died.
local function first_before(place, may_pass)
  local index = 0
  while true do
    local first = redis.call('ZRANGE', KEYS[3], index, index, 'WITHSCORES')
    if not first[1] or tonumber(first[2]) >= place then
      return nil
    end
    local client = client_on(first[1])
    local kind, seen, _, _, holder = parse_registration(redis.call('HGET', KEYS[4], 'w:' .. client))
    if not kind or not is_alive(seen) then
      redis.call('ZREM', KEYS[3], first[1])
      redis.call('HDEL', KEYS[4], 'w:' .. client)
    elseif client ~= ARGV[1] and not may_pass(kind, holder, seen, client) then
      return client, seen, holder
    else
      index = index + 1
    end
  end
end

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
