-- Ends a tenure and does nothing more: nobody need be woken.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of what is kept beside the lock, in ms
-- Returns what the release script does

--@ foreign, tenure, marks, clients, repeats, ending
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
local result, failure = end_tenure(lock, true, true)
return result or failure
