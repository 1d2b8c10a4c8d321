-- State after the end of a tenure.

-- Removes this client from the queue. If its tenure held the lock, the client is removed only if it
-- has registered since. After the first arrival of a repeated command the client may have begun to
-- wait again; then it is removed only if it waits with the tenure that ends.
local function leave_for_good(result, registered)
  local _, _, sequence = parse_registration(registered)
  if result == 3 or result == 1 and sequence or sequence == ARGV[2] then
    leave_queue()
  end
end

-- Returns whether readers hold the lock, by the number of its fields if it is known; nil if one tenure
-- holds it exclusively, or the key holds something else.
local function shared_rest(fields)
  if (fields or redis.pcall('HLEN', KEYS[1])) == 0 then
    return false
  end
  return redis.pcall('HGET', KEYS[1], 'shared') == 'lock-starter' or nil
end
