-- Ends a tenure as the release script does. If another client is next in the queue, this client goes on
-- waiting with another tenure.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 client id, 2 sequence: together the tenure that ends
--      3 lease of the next tenure, in ms
--      4 retention of the waiters and clients, in ms
--      5 holder, as shown to other clients
--      6 a if this command was sent before, else empty
--      7 c in a cluster
--      8 wait mode of the next tenure, as for the acquire script
--      9 its mode: x exclusive, f exclusive and fair, r reader, p one of several permits
--      10 its sequence
--      11 time that a fair request has waited, in microseconds, else 0
--      12 m if an acquire of the tenure that ends may arrive later
-- Returns the same as the release script, or
--         {the same, queue position}     this client goes on waiting
--         {the same, queue position, 1}  likewise, and no living client is ahead of it: the client
--                                has to send a request at once, and until then no later fair request
--                                is granted

--@ foreign, tenure, clients, ending
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

-- Other clients may wait, or may arrive before the next request of this client.
--@ time, share, queue, after_end
known = known or read_clients()
if known.err then
  return result
end
leave_for_good(result, known[2])
local shared = shared_rest(rest)
if shared == nil then
  return result
end
--@ lock, base, readers, turn, enqueue, first_ahead
local position = micros
if ARGV[9] == 'p' then
  -- This client is notified like the others when it is next.
  position = position - ARGV[11]
  if shared then
    redis.pcall('HSET', KEYS[1], 'waits', 1)
  end
  wait_for_turn(position, known)
  give_turn(shared, false, false)
  note_turn(known[4])
  return {result, position}
end
local woken, stays = false, true
if fair then
  position = position - ARGV[11]
end
if not fair or waited and first_before(position) then
  woken, stays = give_turn(shared, true, ARGV[9] == 'r')
  note_turn(known[4])
end
if not stays or not (woken or fair) then
  return result
end
wait_for_turn(position, known)
return woken and {result, position} or {result, position, 1}
