-- Ends a tenure without waking other clients.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV see the library file arguments
-- Returns the same as the release script

--@ arguments, lock, clients, ending
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
local result, failure = end_tenure(lock, true, true)
return result or failure
