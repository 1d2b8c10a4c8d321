-- The fence, KEYS 2: a hash of base, the first token base of the last tenure, which is its time in
-- microseconds; top, where a tenure was put back, the highest base that this server may have
-- forgotten; holder, of the last tenure; kept, until when the fence is kept at least; waits, there
-- if clients may wait, and turn while the lock is free and kept for the first of them that asks by
-- itself; for each client its marks; and after "w:" for each client that waits its registration.
--
-- A number that is an argument or a reply keeps its integer value up to 2^53; the operator ..
-- prints 14 digits only.

local function read_fence()
  return redis.call('HMGET', KEYS[2], ARGV[1], 'base', 'kept', 'waits', 'top')
end

-- Whether the tenure was ended before it began.
local function has_ended(fence)
  return fence[1] and highest_ended(fence[1]) >= tonumber(ARGV[2])
end

-- Whether the tenure may begin if the lock is free: it has not ended, nobody may wait, and not so
-- many clients have left something behind that it is time to forget them. A fence without a base
-- is new.
local function is_plain(fence)
  if fence[1] then
    return not fence[4] and not has_ended(fence)
  end
  return not fence[4] and not (fence[2] and redis.call('HLEN', KEYS[2]) > 69)
end
