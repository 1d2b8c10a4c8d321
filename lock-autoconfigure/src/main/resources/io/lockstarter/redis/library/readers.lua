-- The readers that have the lock.

-- Looks at all readers, and frees the shares of those who have died: each is over at its
-- deadline. Returns the clients of the others, and the base and the holder of the oldest
-- tenure; or nil, and what the key holds instead.
local function living_readers()
  local readers, dead = {}, {}
  local oldest, oldest_holder
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if all[i] ~= 'shared' and all[i] ~= 'by' and all[i] ~= 'waits' then
      local client = client_of(all[i])
      local deadline, base, holder = parse_share(all[i + 1])
      if not (client and deadline) then
        return nil, {'hash of another layout'}
      end
      if tonumber(deadline) < millis and all[i] ~= tenure then
        dead[#dead + 1] = all[i]
      else
        readers[#readers + 1] = client
        if not oldest or tonumber(base) < oldest then
          oldest, oldest_holder = tonumber(base), holder
        end
      end
    end
  end
  for _, reader in ipairs(dead) do
    redis.call('HDEL', KEYS[1], reader)
  end
  if #readers == 0 then
    redis.call('DEL', KEYS[1])
  end
  return readers, oldest, oldest_holder
end
