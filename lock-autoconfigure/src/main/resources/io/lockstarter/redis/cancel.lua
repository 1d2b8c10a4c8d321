--@ lock, tenure, marks, ending
-- Ends a tenure and does nothing more: nobody need be woken.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure
--      4 retention of the fence in ms
-- Returns what the release script does
local marks = read_end()[1]
local had, failure = take_out()
if had == nil then
  return failure
end
if had then
  count_rest()
end
mark_ended(marks, had)
return outcome(had, marks)
