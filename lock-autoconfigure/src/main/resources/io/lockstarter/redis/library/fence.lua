-- The fence, KEYS 2: a hash of base, the first
-- token base of the last tenure, which is its time in microseconds; top, where a tenure was put
-- back, the highest base that this server may have forgotten; holder, of the last tenure; kept,
-- until when the fence is kept at least; waits, there if clients may wait, and turn while the
-- lock is free and kept for the first of them that asks by itself; for each client its marks;
-- and after "w:" for each client that waits its registration.
--
-- A number that is an argument or a reply keeps its integer value up to 2^53; the operator ..
-- prints 14 digits only.

local function read_fence()
  return redis.call('HMGET', KEYS[2], ARGV[1], 'base', 'kept', 'waits', 'top')
end

-- Forgets what clients that have come and gone have ended, and those who died while they
-- waited.
local function forget_the_gone()
  if redis.call('HLEN', KEYS[2]) <= 69 or redis.call('HLEN', KEYS[2]) <= 69 + redis.call('ZCARD', KEYS[3]) then
    return
  end
  local all = redis.call('HGETALL', KEYS[2])
  for i = 1, #all, 2 do
    local _, seen = parse_registration(string.sub(all[i], 1, 2) == 'w:' and all[i + 1])
    if #all[i] >= 32 and not (seen and is_alive(seen)) then
      redis.call('HDEL', KEYS[2], all[i])
    end
  end
end

-- Whether the tenure was ended before it began.
local function has_ended(fence)
  if fence[1] then
    return highest_ended(fence[1]) >= tonumber(ARGV[2])
  end
  -- A fence without a base is new, and gets one now.
  if fence[2] then
    forget_the_gone()
  end
  return false
end
