-- Direct grant to a waiting client.

-- Revokes a grant. reads says whether others may hold the lock as well.
local function take_back(waiter, sequence, reads)
  local left = reads and redis.call('HDEL', KEYS[1], client_on(waiter) .. ':' .. sequence)
  if not left or redis.call('HLEN', KEYS[1]) == 3 then
    redis.call('DEL', KEYS[1])
  end
end

-- Writes the lock for a waiting client, for a number of ms, flagged for waiters. Returns whether that
-- succeeded.
local function write_grant(waiter, kind, sequence, base, lasts, holder)
  local reads = kind == 'R' or kind == 'P'
  local field, by = client_on(waiter) .. ':' .. sequence, base .. ' ' .. holder
  local lasted = reads and redis.call('PTTL', KEYS[1]) or 0
  local written
  if reads then
    local value = share(millis + lasts, base, holder)
    written = redis.pcall('HSET', KEYS[1], 'shared', 'lock-starter', field, value, 'by', by, 'waits', 1)
  else
    written = redis.pcall('HSET', KEYS[1], field, '1', 'by', by, 'waits', 1)
  end
  if type(written) ~= 'number' then
    return false
  end
  if lasted < lasts and type(redis.pcall('PEXPIRE', KEYS[1], lasts)) ~= 'number' then
    take_back(waiter, sequence, reads)
    return false
  end
  return true
end

-- Grants the lock to a waiting client for its whole lease. Returns the message by which the client
-- learns of the grant, or nil if the client has to send a request. The message names the granted
-- request by the time of its registration, because the client counts its lease from before it sent
-- that request.
local function grant(waiter, kind, sequence, lease, holder, seen)
  if kind == string.lower(kind) then
    return nil
  end
  -- Replicas forward messages, even to a client that is no longer subscribed to this server. Such a
  -- client would believe in a grant that is revoked because its message reached no subscriber here.
  if redis.pcall('PUBLISH', waiter, '') == 0 then
    return nil
  end
  local base = next_base()
  if not base or not write_grant(waiter, kind, sequence, base, tonumber(lease), holder) then
    return nil
  end
  return string.format('!%s %s %s %s', sequence, base, seen, lease)
end
