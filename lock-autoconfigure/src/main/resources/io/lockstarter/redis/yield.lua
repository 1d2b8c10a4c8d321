-- Ends a tenure as the release script does; but if another client has its turn then, this one
-- goes on waiting, with another tenure.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- ARGV 1 client id, 2 sequence: together the tenure that ends
--      3 lease in ms of the one that it waits with
--      4 retention of the fence in ms
--      5 holder, as shown to others
--      6 c in a cluster
--      7 how it waits, as the acquire script says
--      8 its mode: x exclusive, f exclusive and fair, r reader
--      9 its sequence
--      10 for how long it has waited in microseconds, which counts if it is fair
-- Returns what the release script does, or
--         {the same, place}  this client goes on waiting

--@ foreign, tenure, marks, ending
local result, fence, rest = end_tenure(true, false)
if not result then
  return fence
end
if not fence[2] then
  return result
end

-- Others may wait.
--@ queue, rest
leave_for_good(result, fence[3])
local shared = shared_rest(rest)
if shared == nil then
  return result
end
--@ time, share, registration, candidates, grant, turn
local place = micros
if ARGV[8] == 'f' then
  place = place - ARGV[10]
  local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  if first[2] and place < tonumber(first[2]) then
    -- It is its own turn again.
    return result
  end
end
local woken, stays = give_turn(shared, true, ARGV[8] == 'r')
if not (woken and stays) then
  note_waiters(fence[2])
  return result
end
redis.pcall('ZADD', KEYS[3], place, channel(ARGV[1]))
redis.pcall('HSET', KEYS[2], 'waits', waits, 'w:' .. ARGV[1], registration(ARGV[8], ARGV[7], ARGV[9]))
redis.call('PEXPIRE', KEYS[3], 10000)
return {result, place}
