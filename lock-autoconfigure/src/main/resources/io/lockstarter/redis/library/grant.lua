-- Grants the lock to a client that waits.

-- Takes the lock back from a client that it was granted to: a lock that nobody has but this one, or
-- others have as well.
local function take_back(waiter, sequence, reads)
  local left = reads and redis.call('HDEL', KEYS[1], client_on(waiter) .. ':' .. sequence)
  if not left or redis.call('HLEN', KEYS[1]) == 3 then
    redis.call('DEL', KEYS[1])
  end
end

-- Writes the lock, of one who has it beside others or alone, for some ms, flagged. Returns whether
-- that could be done.
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

-- Grants the lock to a client that waits, for its whole lease: it hears of that by the message
-- returned, or nobody does. Nil if it is to ask by itself. The message tells which request is granted,
-- by the time at which it was registered: the client counts its lease from before it sent that one.
local function grant(waiter, kind, sequence, lease, holder, seen)
  if kind == string.lower(kind) then
    return nil
  end
  -- Replicas pass messages on, also to one who is no subscriber here any more: it would take
  -- itself for the holder of a lock that is taken back, since its message has reached nobody.
  if redis.pcall('PUBLISH', waiter, '') == 0 then
    return nil
  end
  local base = next_base()
  if not base or not write_grant(waiter, kind, sequence, base, tonumber(lease), holder) then
    return nil
  end
  return string.format('!%s %s %s %s', sequence, base, seen, lease)
end
