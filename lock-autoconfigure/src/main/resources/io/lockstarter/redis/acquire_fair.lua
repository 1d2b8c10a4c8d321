-- Acquires an exclusive lock, in the order in which clients began to wait.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 to 8 as for the acquire script
--      9 time that the client has waited without a queue position, in microseconds
-- Returns the same as the acquire script

--@ tenure, time, base, begin
if redis.call('EXISTS', KEYS[1], KEYS[3], KEYS[4]) == 0 and ARGV[6] == '' then
  local base, failure = next_base()
  return base and begin_exclusive(base) or failure
end

-- The lock is held, clients may wait for it, or commands may arrive late.
--@ lock, read_lock, foreign, share, readers, queue, clients, reply
--@ first_ahead, check_queue, remove_old_clients, check_exclusive
local lock = read_lock()
if lock.err then
  return reply_to(lock)
end
note_repeat()
local known, reply = known_if_free(lock, read_clients, again, 'f', tonumber(ARGV[8]) or micros - ARGV[9])
if not known then
  return reply
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
local base, failure = next_base()
return base and granted(begin_exclusive(base, waited or again or is_repeated(known)), known, waited) or failure
