-- Takes a lock that excludes all others, or confirms it if the same tenure has it already.
--
-- A line that begins with --@ stands for files of the library, which are put in its place.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients: as the library says in lock, base, queue and clients
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 lease in ms
--      4 retention of what is kept beside the lock, in ms
--      5 holder, as shown to others
--      6 a if this command has been sent before, else empty
--      7 how the client waits: w it is to be woken, g the lock may be granted to the tenure by
--        a message, p it hears no messages; then the number of its requests if it is not 1;
--        empty if it does not wait
--      8 place among the waiters, empty if it is to get one
-- Returns base                   granted: the first of 16 token bases
--         -base                  granted, and other clients wait
--         {remaining lease in ms, holder, held for ms, place or '', time in microseconds}
--                                refused
--         0                      this tenure was ended before it began
--         {what}                 a key holds something that is not a lock's

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
local known, answer = known_if_free(lock, read_clients, again, 'x', tonumber(ARGV[8]) or micros)
if not known then
  return answer
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
local base, failure = next_base()
return base and granted(begin_alone(base, waited or again or is_repeated(known)), known, waited) or failure
