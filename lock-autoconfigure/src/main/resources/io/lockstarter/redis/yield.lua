-- Ends a tenure as the release script does. If another client is next in the queue, this client goes on
-- waiting with another tenure.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV see the library file arguments. 1, 2 and 12 concern the tenure that ends; 3, 5, 7, 9
--      and 10 the request with which the client waits, whose sequence is 11. 8 is empty: the queue
--      position is new.
-- Returns the same as the release script, or
--         {the same, queue position}     this client goes on waiting
--         {the same, queue position, 1}  likewise, and no living client is ahead of it: the client
--                                has to send a request at once, and until then no later fair request
--                                is granted

--@ arguments, lock, clients, ending
local lock = redis.pcall('HMGET', KEYS[1], tenure, 'waits', 'by')
local result, known, rest = end_tenure(lock, true, ARGV[12] == 'm')
if not result then
  return known
end
local mode, next_sequence = ARGV[10], ARGV[11]
local fair = mode == 'f'
local waited = known and (result ~= 1 or lock[2])
if not (waited or fair) then
  return result
end

-- Other clients may wait, or may arrive before the next request of this client.
--@ time, base, share, readers, queue, registration, turn

-- Enqueues this client, unless an earlier arrival of the same command has already led to a grant.
local function wait_for_turn(known)
  if highest_ended(known[1]) >= tonumber(next_sequence)
      or type(redis.pcall('HGET', KEYS[1], CLIENT .. ':' .. next_sequence)) == 'string' then
    return
  end
  redis.pcall('ZADD', KEYS[3], POSITION, channel(CLIENT))
  redis.call('PEXPIRE', KEYS[3], 10000)
  redis.pcall('HSET', KEYS[4], 'w:' .. CLIENT, registration(mode, next_sequence))
  if again then
    redis.pcall('HSET', KEYS[4], 'r:' .. CLIENT, next_sequence)
  end
  keep_clients()
end

known = known or read_clients()
if known.err then
  return result
end
leave_for_good(result, known[2])
local shared = shared_rest(rest)
if shared == nil then
  return result
end
if mode == 'p' then
  -- This client is notified like the others when it is next.
  if shared then
    redis.pcall('HSET', KEYS[1], 'waits', 1)
  end
  wait_for_turn(known)
  give_turn(shared, false, false)
  note_turn(known[4])
  return {result, POSITION}
end
local woken, stays = false, true
if not fair or waited and first_before(POSITION) then
  woken, stays = give_turn(shared, true, mode == 'r')
  note_turn(known[4])
end
if not stays or not (woken or fair) then
  return result
end
wait_for_turn(known)
return woken and {result, POSITION} or {result, POSITION, 1}
