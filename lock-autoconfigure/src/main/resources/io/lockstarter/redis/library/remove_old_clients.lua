-- Removal of old clients.

-- Removes the tombstones of clients that no longer use the lock, and waiting clients that have died, if
-- there are many of them and this client is new.
local function forget_the_gone(known)
  local fields = not (known[1] or known[2]) and redis.call('HLEN', KEYS[4]) or 0
  if fields <= 69 or fields <= 69 + redis.call('ZCARD', KEYS[3]) then
    return
  end
  local all = redis.call('HGETALL', KEYS[4])
  for i = 1, #all, 2 do
    local _, seen = parse_registration(string.sub(all[i], 1, 2) == 'w:' and all[i + 1])
    if #all[i] >= 32 and not (seen and is_alive(seen)) then
      redis.call('HDEL', KEYS[4], all[i])
    end
  end
end
