-- Lets a reader's tenure have the lock.

-- Returns the fence if the lock is open to a reader, whether other readers have it, and what it
-- says of the tenure; else nil and the answer.
local function open_fence(fields, place, in_place_of_lost, lowest)
  local shared = fields > 1 and is_shared()
  -- A reader need not know the others. It forgets dead ones where there are many, by a chance
  -- that makes it look at 16 on average, however many there are.
  if shared and fields > 64 and micros() % fields < 16 then
    local readers, foreign = living_readers()
    if not readers then
      return nil, foreign
    end
    shared = #readers > 0
    fields = #readers
  end
  if fields > 0 and not shared then
    return nil, answer_by_holder(fields, 'r', place, in_place_of_lost, lowest)
  end
  local fence = read_fence()
  local own = shared and redis.call('HGET', KEYS[1], tenure)
  if not own then
    if has_ended(fence) then
      return nil, 0
    end
    local answer = fence[4] and answer_if_behind('r', place, fence[4], shared)
    if answer then
      return nil, answer
    end
  end
  return fence, shared, own
end

-- Grants the lock again to a reader, whose base is the lowest that is asked for at least.
local function confirm_share(fence, own, lowest)
  local deadline, first = parse_share(own)
  local base = math.max(tonumber(first), lowest)
  if base > (tonumber(fence[2]) or 0) then
    redis.call('HSET', KEYS[2], 'base', base)
    if redis.call('PTTL', KEYS[2]) < 0 then
      -- Somebody has removed the fence.
      redis.call('PEXPIRE', KEYS[2], ARGV[4] + ARGV[3])
    end
  end
  -- Never shorter: this may be a late command.
  redis.call('HSET', KEYS[1], tenure, share(math.max(tonumber(deadline), millis() + ARGV[3]), base, ARGV[5]))
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
  return redis.call('EXISTS', KEYS[3]) == 1 and -base or base
end

local function begin_reading(fence, base, joins)
  if not base then
    return {'fence without a usable base'}
  end
  write_fence(base, fence[3])
  redis.call('HSET', KEYS[1], 'shared', 'lock-starter', tenure, share(millis() + ARGV[3], base, ARGV[5]))
  return expire_lock(joins) or granted(base, fence[4])
end
