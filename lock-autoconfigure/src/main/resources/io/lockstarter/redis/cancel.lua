-- Ends a tenure without waking other clients.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the waiters and clients, in ms
-- Returns the same as the release script

--@ foreign, tenure, clients, ending
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
local result, failure = end_tenure(lock, true, true)
return result or failure
