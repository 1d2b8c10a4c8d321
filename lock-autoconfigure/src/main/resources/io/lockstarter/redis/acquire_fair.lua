-- Takes a lock that excludes all others, in the order in which they have begun to wait.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV 1 to 8 as the acquire script says
--      9 for how long the client has waited without a place, in microseconds
-- Returns what the acquire script does

--@ tenure, time, base, begin, begin_alone
if redis.call('EXISTS', KEYS[1], KEYS[3], KEYS[4]) == 0 and ARGV[6] == '' then
  local base, failure = next_base()
  return base and begin_alone(base) or failure
end

-- Somebody has the lock, or may wait for it, or commands may come late.
--@ lock, look, foreign, share, readers, registration, queue, marks, clients, repeats, answer, first, ahead, held, crowd, free
local lock = read_lock()
if lock.err then
  return answer_to(lock)
end
note_repeat()
local known, answer = known_if_free(lock, read_clients, again, 'f', tonumber(ARGV[8]) or micros - ARGV[9])
if not known then
  return answer
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
local base, failure = next_base()
return base and granted(begin_alone(base, waited or again or is_repeated(known)), known, waited) or failure
