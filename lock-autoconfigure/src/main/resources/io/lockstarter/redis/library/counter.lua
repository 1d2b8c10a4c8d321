-- The counter of a server of a quorum, in KEYS 4, which is KEYS 2 as well there: base, the highest
-- token base that was granted; top, where a tenure was put back, the highest base that this server
-- may have forgotten; kept, until when the counter is kept at least.

local function read_counter()
  return read_clients('base', 'kept', 'top')
end

-- The lowest base that may be granted: above the last one even if the clock stood still. None if
-- the last is none of ours, and may be too large to be counted on exactly.
local function lowest_base(known)
  local last = tonumber(known[5] or 0)
  return last and last <= 9007199254740960 and math.max(last + 16, (tonumber(known[7]) or 0) + 1) or nil
end

-- Notes the tenure's base, and keeps the counter for as long as it takes.
local function write_counter(base, kept)
  local needed = millis + ARGV[3] + ARGV[4]
  if (tonumber(kept) or 0) >= needed then
    redis.call('HSET', KEYS[2], 'base', string.format('%.0f', base))
    return
  end
  -- An eighth longer, so that it is not due again at once.
  local due = math.floor(needed + ARGV[4] / 8)
  redis.call('HSET', KEYS[2], 'base', string.format('%.0f', base), 'kept', due)
  redis.call('PEXPIREAT', KEYS[2], due)
end

-- Whether the tenure may begin if the lock is free and nobody waits: it has not ended, and there
-- are not so many clients that it is time to forget them. A counter without a base is new.
local function is_plain(known)
  return not known[4] and not has_ended(known) and (known[1] or not known[5])
end
