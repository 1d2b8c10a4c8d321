-- Shortens the lease of a tenure whose holder has finished.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV see the library file arguments. 3 is the remaining lease.
-- Returns {1} if the lease was shortened, else {0}: the lease ends before that, the tenure has ended,
--         or it is a reader's

--@ arguments, lock, share
local held, failure = held_value(tenure)
if failure then
  return failure
end
if not held or parse_share(held) or redis.call('PTTL', KEYS[1]) <= tonumber(LEASE) then
  return {0}
end
return {redis.call('PEXPIRE', KEYS[1], LEASE)}
