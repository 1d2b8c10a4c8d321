-- Failures of commands because a key holds something that does not belong to a lock.

-- Returns whether a command failed because of the type of the key.
local function is_foreign(failure)
  return string.find(failure.err, 'WRONGTYPE', 1, true) ~= nil
end

-- Returns the reply for a failed command on KEYS 1: the type of the key, or the failure.
local function reply_to(failure)
  return is_foreign(failure) and {'type ' .. redis.call('TYPE', KEYS[1]).ok} or failure
end

-- Returns the reply for a failed command on KEYS 4.
local function reply_beside(failure)
  return is_foreign(failure) and {'type ' .. redis.call('TYPE', KEYS[4]).ok .. ' at ' .. KEYS[4]} or failure
end
