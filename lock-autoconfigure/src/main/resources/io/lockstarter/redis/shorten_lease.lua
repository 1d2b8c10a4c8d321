-- Lets a tenure end sooner than by its lease, because its holder is done with it.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 how much longer it may last in ms
-- Returns {1} if it ends sooner, else {0}: it ends by then anyway, has ended, or is a reader's

--@ foreign, tenure, value, share
local held, failure = held_value()
if failure then
  return failure
end
if not held or parse_share(held) or redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[3]) then
  return {0}
end
return {redis.call('PEXPIRE', KEYS[1], ARGV[3])}
