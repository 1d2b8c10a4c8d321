-- Ends a tenure, whether it has the lock, is unknown, or still on its way. Only commands that a
-- full Redis accepts run unguarded.

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
  local added = redis.pcall('HSET', KEYS[4], ARGV[1], marks)
  -- The counter of a quorum lasts longer anyway.
  if added == 1 or added == 0 and KEYS[4] ~= KEYS[2] then
    keep_clients()
  end
end

-- Takes the tenure out of the lock, of which the fields waits and by are known too, and the lock
-- with the last. Returns whether the tenure had it, or nil and why that cannot be told; whether to
-- look at what is kept beside the lock; and how many have the lock yet, if that is known.
local function take_out(lock)
  if not lock[1] then
    -- A former master may have missed the grant: only a server that takes writes may deny it.
    local removed = redis.pcall('HDEL', KEYS[1], tenure)
    if type(removed) == 'table' and not is_foreign(removed) then
      return nil, removed
    end
    return false, true, nil
  end
  local rest = 0
  if not tonumber(lock[1]) then
    rest = redis.call('HLEN', KEYS[1]) - (lock[2] and 1 or 0) - (lock[3] and 1 or 0) - 2
  end
  if rest <= 0 then
    redis.call('DEL', KEYS[1])
  else
    redis.call('HDEL', KEYS[1], tenure)
  end
  return true, lock[2], rest
end

-- Ends the tenure, which counts as released or not if it had the lock; late if commands that are
-- about it may arrive later. Returns 1 released; 2 released before; 3 it did not have the lock; 4 it
-- has been released before, or did not have the lock; then what is known of this client, if others
-- may wait; and how many have the lock yet, if that is known. Or nil, and why that is refused.
local function end_tenure(lock, released, late)
  local had, looks, rest = take_out(lock)
  if had == nil then
    return nil, looks
  end
  if not (looks or late) then
    return 1, nil, rest
  end
  local known = read_clients()
  if late or is_repeated(known) then
    mark_ended(known[1], had and released)
  end
  -- Whether a first copy of this command would have left a mark.
  local certain = late or known[3] == ARGV[2]
  local result = had and 1 or was_released(known[1], ARGV[2]) and 2 or again and not certain and 4 or 3
  return result, not known.err and known or nil, rest
end
