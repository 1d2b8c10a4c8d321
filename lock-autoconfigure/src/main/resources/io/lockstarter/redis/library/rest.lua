-- What is left when a tenure has ended.

-- Takes this client out of the waiters; but if it had the lock, only if it has registered since.
-- It may have begun to wait again since a repeated command arrived for the first time: then only
-- if it waits with the tenure that ends.
local function leave_for_good(result, registered)
  local _, _, sequence = parse_registration(registered)
  if result == 3 or result == 1 and sequence or sequence == ARGV[2] then
    leave_queue()
  end
end

-- Whether readers have the lock, by the number of its fields if that is known; nil if one tenure
-- has it alone, or something else is in its place.
local function shared_rest(fields)
  if (fields or redis.pcall('HLEN', KEYS[1])) == 0 then
    return false
  end
  return redis.pcall('HGET', KEYS[1], 'shared') == 'lock-starter' or nil
end
