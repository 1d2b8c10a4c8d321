-- Replies to a request for a held lock.

-- Confirms the lock for the tenure that holds it exclusively.
local function confirm(base, flagged)
  if flagged then
    redis.call('HSET', KEYS[1], 'waits', 1)
  end
  -- A late command must not shorten the lease.
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or tonumber(base)
end

-- Returns the reply to a request for a lock that one tenure holds exclusively; nil if it is free.
local function reply_by_holder(lock, flagged, mode, position)
  local base, holder = parse_by(lock[2])
  if lock[1] and base then
    return confirm(base, flagged)
  end
  local fields = base and redis.call('HKEYS', KEYS[1]) or {}
  local number = base and #fields or redis.call('HLEN', KEYS[1])
  if number == 0 then
    return nil
  end
  if number > 3 then
    return {'hash of ' .. number .. ' fields'}
  end
  for _, field in ipairs(fields) do
    local client = client_of(field)
    if client then
      local reply = refuse_held(lock, mode, position, redis.call('PTTL', KEYS[1]), tonumber(base), holder)
      if ARGV[7] ~= '' then
        tell_wanted({client})
      end
      return reply
    end
  end
  return {'hash of another layout'}
end
