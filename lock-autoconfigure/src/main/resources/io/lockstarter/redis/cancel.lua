-- Ends a tenure and does nothing more: nobody need be woken.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the fence in ms
-- Returns what the release script does

--@ foreign, tenure, marks, ending
local result, failure = end_tenure(true, false)
return result or failure
