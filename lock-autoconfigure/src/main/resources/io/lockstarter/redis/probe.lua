-- Probes whether the server accepts writes. Changes nothing.
--
-- KEYS 1 a key that is never written
-- Returns 0
return redis.call('DEL', KEYS[1])
