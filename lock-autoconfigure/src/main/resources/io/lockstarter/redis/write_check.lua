-- Checks whether the server accepts a write that needs memory, as an acquire does. Changes nothing: the
-- key does not exist and is not created.
--
-- KEYS 1 a key that is never written
-- Returns 0
redis.call('SET', KEYS[1], '', 'XX')
return 0
