-- First client ahead of this one in the queue.

-- Returns the first client with an earlier queue position that this client may not pass, the time of its
-- last request, and its holder. The optional function may_pass says which clients may be passed. Dead
-- clients are removed.
local function first_before(position, may_pass)
  local index = 0
  while true do
    local first = redis.call('ZRANGE', KEYS[3], index, index, 'WITHSCORES')
    if not first[1] or tonumber(first[2]) >= position then
      return nil
    end
    local client = client_on(first[1])
    local kind, seen, _, _, holder = parse_registration(redis.call('HGET', KEYS[4], 'w:' .. client))
    if not kind or not is_alive(seen) then
      redis.call('ZREM', KEYS[3], first[1])
      redis.call('HDEL', KEYS[4], 'w:' .. client)
    elseif client ~= ARGV[1] and not (may_pass and may_pass(kind, holder, seen, client)) then
      return client, seen, holder
    else
      index = index + 1
    end
  end
end
