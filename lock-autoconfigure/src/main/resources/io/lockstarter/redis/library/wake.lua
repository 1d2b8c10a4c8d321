-- Wakes others after a share was granted.

-- Wakes those whose turn it is as well, who keep their places, when so many have the lock: with what
-- this client has waited before, it may have stood in their way.
local function wake_others(taken)
  first_before(math.huge, function(kind, holder, _, client)
    if permits_of(kind, holder) <= taken then
      return false
    end
    redis.pcall('PUBLISH', channel(client), KEYS[1])
    taken = taken + 1
    return true
  end)
end
