-- Acquires an exclusive lock, or confirms the lock if the same tenure already holds it. A fair request
-- is granted in the order in which clients began to wait.
--
-- A line that begins with --@ is replaced by the named library files.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients: see the library files lock, base, queue and clients
-- ARGV see the library file arguments. The mode is f for a fair request, else empty.
-- Returns base                   granted: the first of 16 token bases
--         -base                  granted, and other clients wait
--         {remaining lease in ms, holder, held for ms, queue position or '', time in microseconds}
--                                refused
--         0                      this tenure was ended before it began
--         {what}                 a key holds something that does not belong to a lock

--@ arguments, time, base, begin
if redis.call('EXISTS', KEYS[1], KEYS[3], KEYS[4]) == 0 and not again then
  local base, failure = next_base()
  return base and begin_exclusive(base) or failure
end

-- The lock is held, clients may wait for it, or commands may arrive late.
--@ lock, share, readers, clients, queue, registration, request, check_exclusive
local lock = read_lock(tenure)
if lock.err then
  return reply_to(lock)
end
note_repeat()
local mode = ARGV[10] == 'f' and 'f' or 'x'
local known, reply = known_if_free(lock, read_clients, again, mode, POSITION)
if not known then
  return reply
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
local base, failure = next_base()
return base and granted(begin_exclusive(base, waited or again or is_repeated(known)), known, waited) or failure
