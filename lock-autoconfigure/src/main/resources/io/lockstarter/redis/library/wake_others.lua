-- Wake-up of other clients after a share was granted.

-- Wakes the other clients that may have the lock in addition to the given number of holders. They keep
-- their queue positions. The previous registration of this client may have blocked them.
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
