-- Acquires a shared lock for a reader, or confirms it.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- ARGV see the library file arguments
-- Returns the same as the acquire script

--@ arguments, time, base, share, begin, begin_shared
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
local inspects = is_shared(lock) and is_time_to_inspect()
if found == 1 and is_shared(lock) and not (inspects or lock[1] or lock[4] or again) then
  local base, failure = next_base()
  return base and begin_reading(base, true) or failure
end

-- The tenure or another one holds the lock, clients may wait for it, or commands may arrive late.
--@ readers, clients, queue, registration, request, check_shared, wake_others
note_repeat()
if lock[1] and is_shared(lock) then
  local _, base = parse_share(lock[1])
  return base and confirm_share(lock[1], base, again) or {'hash of another layout'}
end
local known, shared = known_if_open(lock, read_clients, again, inspects, POSITION)
if not known then
  return shared
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
local flagged = waited and not shared or again or is_repeated(known)
local base, failure = next_base()
local reply = base and granted(begin_reading(base, shared, flagged), known, waited)
if reply and waited and string.find(known[2] or '', '^[^rR]') then
  wake_others(redis.call('HLEN', KEYS[1]) - 3)
end
return reply or failure
