-- Finds out whether the server takes writes, and changes nothing.
--
-- KEYS 1 a key that is never written
-- Returns 0
return redis.call('DEL', KEYS[1])
