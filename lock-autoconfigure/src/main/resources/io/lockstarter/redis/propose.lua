-- Acquires a lock on one server of a quorum, with a token base that the client proposes.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients, which is the fence here, 5 marker
-- ARGV see the library file arguments
-- Returns the same as the acquire script, or
--         {'counter', base, time}     the proposed base is too low, this base would suffice
--         {'ahead', 0, time}          the proposed base is too far ahead of this server's clock
--         {'no vote', ms or -1, time}  this server must not vote before that time, or has no marker

--@ arguments, time, clients, quorum, begin, proposal
local reply = objection()
if reply then
  return reply
end
local known = redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 and read_counter()
if known and not known.err and is_plain(known) then
  return reply_if_too_low(known) or begin_exclusive(ARGV[14])
end

-- The lock is held, or clients may wait for it.
--@ lock, share, readers, queue, registration, request, check_exclusive, raise_base
local lock = read_lock(tenure)
if lock.err then
  return reply_to(lock)
end
local function read()
  return known or read_counter()
end
if lock[1] then
  lock[2] = raise_base(lock[2], read())
end
known, reply = known_if_free(lock, read, false, 'x', POSITION)
if not known then
  return reply
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
return reply_if_too_low(known) or granted(begin_exclusive(ARGV[14], waited), known, waited)
