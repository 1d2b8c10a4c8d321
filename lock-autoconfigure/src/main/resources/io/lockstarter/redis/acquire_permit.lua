-- Acquires one of several permits of a lock, or confirms it. A permit is a share, like a reader's.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV see the library file arguments. 10 is the number of permits of the lock, which the
--      holder's label contains as well.
-- Returns the same as the acquire script, or
--         {remaining lease in ms, holder, held for ms, queue position or '', time in microseconds,
--          number of other holders, a holder with another number of permits or ''}
--                                refused: the holder is the one whose lease ends first

--@ arguments, time, base, share, begin, begin_shared
local permits = tonumber(ARGV[10])
local found = redis.call('EXISTS', KEYS[1], KEYS[3], KEYS[4])
if found == 0 and not again then
  local base, failure = next_base()
  return base and begin_reading(base) or failure
end
--@ lock
local lock = read_lock(tenure)
if lock.err then
  return reply_to(lock)
end
if found == 1 and is_shared(lock) and not (lock[1] or lock[4] or again)
    and redis.call('HLEN', KEYS[1]) - 2 < permits then
  local base, failure = next_base()
  return base and begin_reading(base, true) or failure
end

-- The tenure already has a permit, none may be free, or commands may arrive late.
--@ readers, clients, queue, registration, request, permits, wake_others
note_repeat()
if lock[1] and is_shared(lock) then
  local _, base = parse_share(lock[1])
  return base and confirm_share(lock[1], base, again) or {'hash of another layout'}
end
local known, taken = known_if_permitted(lock, again, POSITION, permits)
if not known then
  return taken
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
local flagged = waited and taken == 0 or again or is_repeated(known)
local base, failure = next_base()
local reply = base and granted(begin_reading(base, taken > 0, flagged), known, waited)
if reply and waited then
  wake_others(taken + 1)
end
return reply or failure
