-- Ends a tenure as the release script does; but if another client has its turn then, this one
-- goes on waiting, with another tenure.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 client id, 2 sequence: together the tenure that ends
--      3 lease in ms of the one that it waits with
--      4 retention of what is kept beside the lock, in ms
--      5 holder, as shown to others
--      6 a if this command has been sent before, else empty
--      7 c in a cluster
--      8 how it waits, as the acquire script says
--      9 its mode: x exclusive, f exclusive and fair, r reader
--      10 its sequence
--      11 for how long it has waited in microseconds, which counts if it is fair
--      12 m if an acquire of the tenure that ends may arrive later
-- Returns what the release script does, or
--         {the same, place}  this client goes on waiting

--@ foreign, tenure, marks, clients, repeats, ending
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
local result, known, rest = end_tenure(lock, true, ARGV[12] == 'm')
if not result then
  return known
end
if not known or result == 1 and not lock[2] then
  return result
end

-- Others may wait.
--@ time, registration, queue, rest
leave_for_good(result, known[2])
local shared = shared_rest(rest)
if shared == nil then
  return result
end
--@ share, base, candidates, grant, turn
local place = micros
if ARGV[9] == 'f' then
  place = place - ARGV[11]
  local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  if first[2] and place < tonumber(first[2]) then
    -- It is its own turn again.
    return result
  end
end
local woken, stays = give_turn(shared, true, ARGV[9] == 'r')
note_turn(known[4])
if not (woken and stays) then
  return result
end
redis.pcall('ZADD', KEYS[3], place, channel(ARGV[1]))
redis.call('PEXPIRE', KEYS[3], 10000)
redis.pcall('HSET', KEYS[4], 'w:' .. ARGV[1], registration(ARGV[9], ARGV[8], ARGV[10]))
if again then
  redis.pcall('HSET', KEYS[4], 'r:' .. ARGV[1], ARGV[10])
end
keep_clients()
return {result, place}
