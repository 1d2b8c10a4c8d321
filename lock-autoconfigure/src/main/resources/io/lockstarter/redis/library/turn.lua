-- What follows the end of a tenure: this client leaves the queue, and the clients that are next are granted
-- the lock or woken.
--
-- Clients are notified only at the end of the script. After a pause most of its time goes into what is
-- used for the first time: commands, functions, tables.

local CLUSTER = ARGV[13] == 'c'

-- Whether the queue still contains clients.
local others = false

-- Whether the lock is reserved for a client that polls.
local turn = false

local function put_back(waiter, position)
  redis.pcall('ZADD', KEYS[3], position, waiter)
  redis.call('PEXPIRE', KEYS[3], 10000)
  others = true
end

-- Removes the first living client from the queue. Returns its channel, its queue position, and its
-- registration: mode, in upper case if the lock can be granted by a message, sequence, lease, holder
-- and the time of its last request. A client that may have died since is not granted the lock,
-- because it would keep it for a whole lease.
local function take()
  local first = redis.call('ZPOPMIN', KEYS[3])
  while first[1] do
    local client = client_on(first[1])
    local known = redis.pcall('HMGET', KEYS[4], 'w:' .. client, client)
    local kind, seen, sequence, lease, holder = parse_registration(known[1])
    if not kind then
      return first[1], first[2], 'x'
    end
    if is_alive(seen) then
      if CLUSTER or not is_recent(seen) or highest_ended(known[2]) >= tonumber(sequence) then
        kind = string.lower(kind)
      end
      return first[1], first[2], kind, sequence, lease, holder, seen
    end
    redis.call('HDEL', KEYS[4], 'w:' .. client)
    first = redis.call('ZPOPMIN', KEYS[3])
  end
end

-- Records whether the lock is reserved, if that may have changed.
local function note_turn(noted)
  if turn then
    if redis.pcall('HSET', KEYS[4], 'turn', 1) == 1 then
      keep_clients()
    end
  elseif noted then
    redis.call('HDEL', KEYS[4], 'turn')
  end
end

-- Revokes a grant. reads says whether others may hold the lock as well.
local function take_back(waiter, sequence, reads)
  local left = reads and redis.call('HDEL', KEYS[1], client_on(waiter) .. ':' .. sequence)
  if not left or redis.call('HLEN', KEYS[1]) == 3 then
    redis.call('DEL', KEYS[1])
  end
end

-- Writes the lock for a waiting client, for a number of ms, flagged for waiters. Returns whether that
-- succeeded.
local function write_grant(waiter, kind, sequence, base, lasts, holder)
  local reads = kind == 'R' or kind == 'P'
  local field, by = client_on(waiter) .. ':' .. sequence, base .. ' ' .. holder
  local lasted = reads and redis.call('PTTL', KEYS[1]) or 0
  local written
  if reads then
    local value = share(millis + lasts, base, holder)
    written = redis.pcall('HSET', KEYS[1], 'shared', 'lock-starter', field, value, 'by', by, 'waits', 1)
  else
    written = redis.pcall('HSET', KEYS[1], field, '1', 'by', by, 'waits', 1)
  end
  if type(written) ~= 'number' then
    return false
  end
  if lasted < lasts and type(redis.pcall('PEXPIRE', KEYS[1], lasts)) ~= 'number' then
    take_back(waiter, sequence, reads)
    return false
  end
  return true
end

-- Grants the lock to a waiting client for its whole lease. Returns the message by which the client
-- learns of the grant, or nil if the client has to send a request. The message names the granted
-- request by the time of its registration, because the client counts its lease from before it sent
-- that request.
local function grant(waiter, kind, sequence, lease, holder, seen)
  if kind == string.lower(kind) then
    return nil
  end
  -- Replicas forward messages, even to a client that is no longer subscribed to this server. Such a
  -- client would believe in a grant that is revoked because its message reached no subscriber here.
  if redis.pcall('PUBLISH', waiter, '') == 0 then
    return nil
  end
  local base = next_base()
  if not base or not write_grant(waiter, kind, sequence, base, tonumber(lease), holder) then
    return nil
  end
  return string.format('!%s %s %s %s', sequence, base, seen, lease)
end

-- Removes the clients that may hold the lock together from the queue, beginning with the given one, and
-- grants the lock to those that accept a direct grant.
local function take_shares(waiter, position, kind, sequence, lease, holder, seen)
  local shares, taken, coming = {}, nil, 0
  repeat
    if is_permit(kind) then
      taken = taken or #(living_readers() or {}) + coming
      if taken >= permits_in(holder) then
        break
      end
    end
    local granted = grant(waiter, kind, sequence, lease, holder, seen)
    shares[#shares + 1] = {waiter, position, kind, sequence, granted}
    coming = coming + (granted and 0 or 1)
    taken = taken and taken + 1
    waiter, position, kind, sequence, lease, holder, seen = take()
  until not waiter or permits_of(kind, holder) == 1
  if waiter then
    put_back(waiter, position)
  end
  return shares
end

-- Notifies a client of its turn. A grant whose message reaches no subscriber is revoked. A client that
-- has to send a request, and is not a reader, keeps its queue position until then. So does a client
-- that polls or cannot be sent messages, and no other client may barge ahead of it.
local function notify(waiter, position, kind, sequence, granted, contended)
  local message = granted and string.format('%s %d %s', granted, contended and 1 or 0, KEYS[1]) or KEYS[1]
  local reached = redis.pcall('PUBLISH', waiter, message)
  local notified = type(reached) == 'number' and (reached > 0 or CLUSTER)
  local polls = sequence == '0' or sequence and type(reached) ~= 'number'
  if polls then
    turn = true
  end
  if polls or notified and not granted and string.lower(kind) ~= 'r' then
    put_back(waiter, position)
  else
    redis.pcall('HDEL', KEYS[4], 'w:' .. client_on(waiter))
  end
  if granted and not notified then
    take_back(waiter, sequence, kind ~= 'X' and kind ~= 'F')
  end
  return notified or polls
end

-- Gives the first clients in the queue their turn: one exclusive client, or all clients that may hold
-- the lock together up to the first one that may not. If the lock is shared already, only the latter.
-- A notification says whether other clients wait; this client is one of them if it stays. A reader
-- that stays may join other readers. Returns whether a client was notified, and whether this client
-- goes on waiting.
local function give_turn(shared, stays, reads)
  local woken, missed = false, false
  repeat
    local waiter, position, kind, sequence, lease, holder, seen = take()
    if waiter and permits_of(kind, holder) > 1 then
      local shares = take_shares(waiter, position, kind, sequence, lease, holder, seen)
      stays = stays and not reads
      missed = false
      for _, each in ipairs(shares) do
        local notified = notify(each[1], each[2], each[3], each[4], each[5], stays or others)
        woken, missed = woken or notified, missed or not notified
      end
    elseif waiter and (shared or woken) then
      put_back(waiter, position)
      break
    elseif waiter then
      local granted = grant(waiter, kind, sequence, lease, holder, seen)
      others = redis.call('EXISTS', KEYS[3]) == 1
      woken = notify(waiter, position, kind, sequence, granted, stays or others)
      missed = not woken
    end
    others = others and not missed
  until not (waiter and missed)
  return woken, stays
end

-- Removes this client from the queue. If its tenure held the lock, the client is removed only if it
-- has registered since. After the first arrival of a repeated command the client may have begun to
-- wait again; then it is removed only if it waits with the tenure that ends.
local function leave_for_good(result, registered)
  local _, _, sequence = parse_registration(registered)
  if result == 3 or result == 1 and sequence or sequence == SEQUENCE then
    leave_queue()
  end
end

-- Returns whether readers hold the lock, by the number of its fields if it is known; nil if one tenure
-- holds it exclusively, or the key holds something else.
local function shared_rest(fields)
  if (fields or redis.pcall('HLEN', KEYS[1])) == 0 then
    return false
  end
  return redis.pcall('HGET', KEYS[1], 'shared') == 'lock-starter' or nil
end
