-- Acquires an exclusive lock, or confirms the lock if the same tenure already holds it.
--
-- A line that begins with --@ is replaced by the named library files.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients: see the library files lock, base, queue and clients
-- ARGV 1 client id, 2 sequence: together the tenure
--      3 lease in ms
--      4 retention of the waiters and clients, in ms
--      5 holder, as shown to other clients
--      6 a if this command was sent before, else empty
--      7 wait mode: w wake the client, g the lock may be granted to the tenure by a message,
--        p the client polls because it receives no messages; followed by the number of its
--        waiting requests unless it is 1; empty if the client does not wait
--      8 queue position, empty for a new position
-- Returns base                   granted: the first of 16 token bases
--         -base                  granted, and other clients wait
--         {remaining lease in ms, holder, held for ms, queue position or '', time in microseconds}
--                                refused
--         0                      this tenure was ended before it began
--         {what}                 a key holds something that does not belong to a lock

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
local known, reply = known_if_free(lock, read_clients, again, 'x', tonumber(ARGV[8]) or micros)
if not known then
  return reply
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
local base, failure = next_base()
return base and granted(begin_exclusive(base, waited or again or is_repeated(known)), known, waited) or failure
