-- Lets a tenure end sooner than by its lease, because its holder is done with it.
--
-- KEYS 1 lock, as the acquire script says
-- ARGV 1 tenure, 2 how much longer it may last in ms
-- Returns 1 if it ends sooner, else 0: it ends by then anyway, has ended, or is a reader's
--
-- A former master may have missed the grant: only a server that takes writes may deny it.
local held = redis.pcall('HGET', KEYS[1], ARGV[1]) or redis.pcall('HDEL', KEYS[1], '')
if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
  return held
end
if type(held) ~= 'string' or string.find(held, ' ', 1, true)
    or redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then
  return {0}
end
return {redis.call('PEXPIRE', KEYS[1], ARGV[2])}
