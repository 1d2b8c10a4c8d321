-- Grant or wake-up of the clients that are next in the queue.
--
-- Clients are notified only at the end of the script. After a pause most of its time goes into what is
-- used for the first time: commands, functions, tables.

-- Notifies a client of its turn. A grant whose message reaches no subscriber is revoked. A client that
-- has to send a request, and is not a reader, keeps its queue position until then. So does a client
-- that polls or cannot be sent messages, and no other client may barge ahead of it.
local function notify(waiter, position, kind, sequence, granted, contended)
  local message = granted and string.format('%s %d %s', granted, contended and 1 or 0, KEYS[1]) or KEYS[1]
  local reached = redis.pcall('PUBLISH', waiter, message)
  local notified = type(reached) == 'number' and (reached > 0 or ARGV[7] == 'c')
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
