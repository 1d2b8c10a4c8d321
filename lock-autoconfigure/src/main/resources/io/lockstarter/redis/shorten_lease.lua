-- Shortens the lease of a tenure whose holder has finished.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 remaining lease in ms
-- Returns {1} if the lease was shortened, else {0}: the lease ends before that, the tenure has ended,
--         or it is a reader's

--@ foreign, tenure, tenure_value, share
local held, failure = held_value()
if failure then
  return failure
end
if not held or parse_share(held) or redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[3]) then
  return {0}
end
return {redis.call('PEXPIRE', KEYS[1], ARGV[3])}
