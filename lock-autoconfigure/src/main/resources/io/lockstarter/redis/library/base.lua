-- The token bases that this server gives, and the fence that keeps them.

-- The lowest base that may be given: above the last one even if the clock stood still. None if
-- the last is none of ours, and may be too large to be counted on exactly.
local function lowest_base(fence)
  local last = tonumber(fence[2] or 0)
  return last and last <= 9007199254740960 and math.max(last + 16, (tonumber(fence[5]) or 0) + 1) or nil
end

-- The base of a tenure that begins now.
local function next_base(fence)
  local lowest = lowest_base(fence)
  return lowest and math.max(micros, lowest)
end

-- Notes the tenure's base and holder, and keeps the fence for as long as it takes.
local function write_fence(base, kept)
  local needed = millis + ARGV[3] + ARGV[4]
  if (tonumber(kept) or 0) >= needed then
    redis.call('HSET', KEYS[2], 'base', string.format('%d', base), 'holder', ARGV[5])
    return
  end
  -- An eighth longer, so that it is not due again at once.
  local due = math.floor(needed + ARGV[4] / 8)
  redis.call('HSET', KEYS[2], 'base', base, 'holder', ARGV[5], 'kept', due)
  redis.call('PEXPIREAT', KEYS[2], due)
end
