-- Ends a tenure, whether it has the lock, is unknown, or still on its way. Only commands that a
-- full Redis accepts run unguarded. ARGV 4 is the retention of the fence.

-- How many fields the lock has yet: the last reader takes it along.
local function count_rest()
  local fields = redis.call('HLEN', KEYS[1])
  if fields == 1 then
    redis.call('DEL', KEYS[1])
    return 0
  end
  return fields
end

-- Marks the tenure as ended, and if it had the lock, and counts for that, as released.
local function mark_ended(before, released)
  local marks = before or ''
  local highest = string.match(marks, '^%S+') or '0'
  if tonumber(ARGV[2]) > tonumber(highest) then
    if string.find(highest, '.', 1, true) then
      -- It had not been held, and is below the new one.
      marks = string.sub(marks, #highest + 2)
    end
    marks = ARGV[2] .. (released and '' or '.5') .. (marks ~= '' and ' ' .. marks or '')
  elseif released then
    -- A later tenure of this client has ended first.
    marks = highest .. ' ' .. ARGV[2] .. string.sub(marks, #highest + 1)
  else
    return
  end
  if #marks > 64 then
    -- A hash with a longer value takes more than twice the memory.
    marks = string.match(string.sub(marks, 1, 65), '^(.*) ')
  end
  local added = redis.pcall('HSET', KEYS[2], ARGV[1], marks)
  if added == 1 and redis.call('PTTL', KEYS[2]) < 0 then
    redis.call('PEXPIRE', KEYS[2], ARGV[4])
  end
end

-- Ends the tenure, which counts as released or not if it had the lock, and which may have had it
-- alone for certain. Returns 1 released; 2 released before, by an earlier arrival of the same
-- command; 3 it did not have the lock; then what the fence says of this client: its marks,
-- whether clients may wait, its registration; and how many fields the lock has yet, if that is
-- known. Or nil, and why that is refused.
local function end_tenure(released, alone)
  local fence = redis.pcall('HMGET', KEYS[2], ARGV[1], 'waits', 'w:' .. ARGV[1])
  local removed = redis.pcall('HDEL', KEYS[1], tenure)
  -- The key may hold something else.
  if type(removed) == 'table' and not is_foreign(removed) then
    return nil, removed
  end
  local had = removed == 1
  local rest = had and not alone and count_rest() or nil
  mark_ended(fence[1], had and released)
  return had and 1 or was_released(fence[1], ARGV[2]) and 2 or 3, fence, rest
end
