-- Acquires a lock on one server of a quorum, with a token base that the client proposes.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients, which is the fence here, 5 marker
-- ARGV 1 to 8 as for the acquire script
--      9 to 11 the proposal
-- Returns the same as the acquire script, or
--         {'counter', base, time}     the proposed base is too low, this base would suffice
--         {'ahead', 0, time}          the proposed base is too far ahead of this server's clock
--         {'no vote', ms or -1, time}  this server must not vote before that time, or has no marker

--@ tenure, time, clients, quorum, begin, proposal
local reply = objection()
if reply then
  return reply
end
local known = redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 and read_counter()
if known and not known.err and is_plain(known) then
  return reply_if_too_low(known) or begin_exclusive(ARGV[9])
end

-- The lock is held, or clients may wait for it.
--@ lock, read_lock, foreign, share, readers, queue, reply, first_ahead, check_queue
--@ remove_old_clients, check_exclusive, raise_base
local lock = read_lock()
if lock.err then
  return reply_to(lock)
end
local function read()
  return known or read_counter()
end
if lock[1] then
  lock[2] = raise_base(lock[2], read())
end
known, reply = known_if_free(lock, read, false, 'x', tonumber(ARGV[8]) or micros)
if not known then
  return reply
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
return reply_if_too_low(known) or granted(begin_exclusive(ARGV[9], waited), known, waited)
