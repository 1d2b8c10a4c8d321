-- Acquires a shared lock for a reader on one server of a quorum, with a token base that the client
-- proposes.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients, which is the fence here, 5 marker
-- ARGV see the library file arguments
-- Returns the same as the propose script

--@ arguments, time, lock, share, clients, quorum, begin, begin_shared, proposal
local reply = objection()
if reply then
  return reply
end
local found = redis.call('EXISTS', KEYS[1], KEYS[3])
local lock = found > 0 and read_lock(tenure) or {}
if lock.err then
  return reply_to(lock)
end
local inspects = is_shared(lock) and is_time_to_inspect()
local known = read_counter()
if known.err then
  return reply_for_clients(known)
end
local joins = found == 1 and is_shared(lock) and not (inspects or lock[1] or lock[4])
if joins and not has_ended(known) or found == 0 and is_plain(known) then
  return reply_if_too_low(known) or begin_reading(ARGV[14], joins)
end

-- The tenure or another one holds the lock, or clients may wait for it.
--@ readers, queue, registration, request, check_shared, raise_base
if lock[1] and is_shared(lock) then
  local _, first = parse_share(lock[1])
  local base, last = tonumber(first or 0), tonumber(known[5]) or 0
  if raised > base and base ~= last and raised < last + 16 then
    -- Other readers have acquired the lock since.
    return {'counter', last + 16, micros}
  end
  base = math.max(base, raised)
  if base > last then
    write_counter(base, known[6])
  end
  return confirm_share(lock[1], string.format('%.0f', base), false)
end
if lock[1] then
  lock[2] = raise_base(lock[2], known)
end
local function read()
  return known
end
local shared
known, shared = known_if_open(lock, read, false, inspects, POSITION)
if not known then
  return shared
end
local waited = redis.call('ZCARD', KEYS[3]) > 0
return reply_if_too_low(known) or granted(begin_reading(ARGV[14], shared, waited and not shared), known, waited)
