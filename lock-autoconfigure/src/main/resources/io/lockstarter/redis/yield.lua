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
--      9 its mode: x exclusive, f exclusive and fair, r reader, p one of several permits
--      10 its sequence
--      11 for how long it has waited in microseconds, which counts if it is fair
--      12 m if an acquire of the tenure that ends may arrive later
-- Returns what the release script does, or
--         {the same, place}     this client goes on waiting
--         {the same, place, 1}  likewise, and nobody who is alive waits before it: it is to ask at
--                               once, and until then no fair request that came later is granted

--@ foreign, tenure, marks, clients, repeats, ending
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
local result, known, rest = end_tenure(lock, true, ARGV[12] == 'm')
if not result then
  return known
end
local fair = ARGV[9] == 'f'
local waited = known and (result ~= 1 or lock[2])
if not (waited or fair) then
  return result
end

-- Others may wait, or may come before this client asks again.
--@ time, share, registration, queue, rest
known = known or read_clients()
if known.err then
  return result
end
leave_for_good(result, known[2])
local shared = shared_rest(rest)
if shared == nil then
  return result
end
--@ lock, base, readers, candidates, grant, shares, turn, wait, first
local place = micros
if ARGV[9] == 'p' then
  -- In its turn it is told like the others.
  place = place - ARGV[11]
  if shared then
    redis.pcall('HSET', KEYS[1], 'waits', 1)
  end
  wait_for_turn(place, known)
  give_turn(shared, false, false)
  note_turn(known[4])
  return {result, place}
end
local woken, stays = false, true
if fair then
  place = place - ARGV[11]
end
if not fair or waited and first_before(place) then
  woken, stays = give_turn(shared, true, ARGV[9] == 'r')
  note_turn(known[4])
end
if not stays or not (woken or fair) then
  return result
end
wait_for_turn(place, known)
return woken and {result, place} or {result, place, 1}
