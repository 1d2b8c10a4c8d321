-- End of a tenure that holds the lock, is unknown, or whose acquire may still arrive. Only commands that
-- a full Redis accepts are called without protection.

-- Adds a tombstone of the tenure, which says whether the tenure was released.
local function add_tombstone(before, released)
  local tombstones = before or ''
  local highest = string.match(tombstones, '^%S+') or '0'
  if tonumber(SEQUENCE) > tonumber(highest) then
    if string.find(highest, '.', 1, true) then
      -- The tenure did not hold the lock, and the new sequence is higher.
      tombstones = string.sub(tombstones, #highest + 2)
    end
    tombstones = SEQUENCE .. (released and '' or '.5') .. (tombstones ~= '' and ' ' .. tombstones or '')
  elseif released then
    -- A later tenure of this client has already ended.
    tombstones = highest .. ' ' .. SEQUENCE .. string.sub(tombstones, #highest + 1)
  else
    return
  end
  if #tombstones > 64 then
    -- A hash with a longer value needs more than twice the memory.
    tombstones = string.match(string.sub(tombstones, 1, 65), '^(.*) ')
  end
  local added = redis.pcall('HSET', KEYS[4], CLIENT, tombstones)
  -- The counter of a quorum expires later anyway.
  if added == 1 or added == 0 and KEYS[4] ~= KEYS[2] then
    keep_clients()
  end
end

-- Removes the tenure from the lock, and deletes the lock after its last tenure. The fields waits and by
-- of the lock are given. Returns whether the tenure held the lock, or nil and the reason of a failure;
-- whether to read the clients; and the number of remaining holders if it is known.
local function take_out(lock)
  if not lock[1] then
    -- A demoted master may have missed the grant: only a server that accepts writes may deny it.
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

-- Ends the tenure. released says whether a held tenure counts as released, late whether commands of the
-- tenure may still arrive. Returns 1 released; 2 released before; 3 the tenure did not hold the lock;
-- 4 one of the last two; then the fields of this client if other clients may wait; and the number of
-- remaining holders if it is known. Returns nil and the reason if Redis refuses that.
local function end_tenure(lock, released, late)
  local was_held, reads_clients, rest = take_out(lock)
  if was_held == nil then
    return nil, reads_clients
  end
  if not (reads_clients or late) then
    return 1, nil, rest
  end
  local known = read_clients()
  if late or is_repeated(known) then
    add_tombstone(known[1], was_held and released)
  end
  -- Whether the first arrival of this command would have left a tombstone.
  local certain = late or known[3] == SEQUENCE
  local result = was_held and 1 or was_released(known[1], SEQUENCE) and 2 or again and not certain and 4 or 3
  return result, not known.err and known or nil, rest
end
