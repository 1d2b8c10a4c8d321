-- Grants the lock to a client that waits. ARGV 4 is the retention of the fence.

-- Takes the lock back from a client that it was granted to.
local function take_back(waiter, sequence)
  redis.call('HDEL', KEYS[1], client_on(waiter) .. ':' .. sequence)
  count_rest()
end

-- Writes the lock, of a reader or of one who has it alone, for some ms. Returns whether that
-- could be done.
local function write_grant(waiter, kind, sequence, base, lasts, holder)
  local field = client_on(waiter) .. ':' .. sequence
  local written = redis.pcall('HSET', KEYS[2], 'base', base, 'holder', holder)
  if type(written) == 'number' and kind == 'R' then
    written = redis.pcall('HSET', KEYS[1], 'shared', 'lock-starter', field, share(millis + lasts, base, holder))
  elseif type(written) == 'number' then
    written = redis.pcall('HSET', KEYS[1], field, '1')
  end
  if type(written) ~= 'number' then
    return false
  end
  if (kind ~= 'R' or redis.call('PTTL', KEYS[1]) < lasts)
      and type(redis.pcall('PEXPIRE', KEYS[1], lasts)) ~= 'number' then
    take_back(waiter, sequence)
    return false
  end
  return true
end

-- Gives the lock to a client that waits, for a second at most: it hears of that by the message
-- returned, or nobody does. Nil if it is to ask by itself.
local function grant(waiter, kind, sequence, lease, holder)
  if kind ~= 'X' and kind ~= 'F' and kind ~= 'R' then
    return nil
  end
  -- Replicas pass messages on, also to one who is no subscriber here any more: it would take
  -- itself for the holder of a lock that is taken back, since its message has reached nobody.
  if redis.pcall('PUBLISH', waiter, '') == 0 then
    return nil
  end
  local base = math.max(micros, lowest)
  if base > 9007199254740960 then
    return nil
  end
  lowest = base + 16
  local lasts = math.min(tonumber(lease), 1000)
  if not write_grant(waiter, kind, sequence, base, lasts, holder) then
    return nil
  end
  if redis.call('PTTL', KEYS[2]) < ARGV[4] + lease then
    redis.call('PEXPIRE', KEYS[2], ARGV[4] + lease)
  end
  return string.format('!%s %.0f %.0f %d', sequence, base, micros, lasts)
end
