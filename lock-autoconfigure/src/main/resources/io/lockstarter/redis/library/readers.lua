-- Holders of a shared lock.

-- Inspects all readers, and removes shares whose deadline has passed. The holder of a permit counts as
-- a reader. Returns the clients of the living readers; the base and the holder of the oldest tenure;
-- deadline, base and holder of the tenure that ends first; and all holders. Returns nil and the reply
-- if the key holds something else.
local function living_readers()
  local readers, dead, holders = {}, {}, {}
  local oldest, oldest_holder, first
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
        readers[#readers + 1], holders[#holders + 1] = client, holder
        if not first or tonumber(deadline) < first[1] then
          first = {tonumber(deadline), base, holder}
        end
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
  return readers, oldest, oldest_holder, first, holders
end
