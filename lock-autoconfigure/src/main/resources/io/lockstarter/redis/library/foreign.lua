-- Commands that fail because the key of the lock holds something else.

-- Whether a command has failed because the key holds something that is not a lock.
local function is_foreign(failure)
  return string.find(failure.err, 'WRONGTYPE', 1, true) ~= nil
end

-- The answer if a command has failed: what the key holds, or why that cannot be told.
local function answer_to(failure)
  return is_foreign(failure) and {'type ' .. redis.call('TYPE', KEYS[1]).ok} or failure
end

-- The same of what is kept beside the lock.
local function answer_beside(failure)
  return is_foreign(failure) and {'type ' .. redis.call('TYPE', KEYS[4]).ok .. ' at ' .. KEYS[4]} or failure
end
