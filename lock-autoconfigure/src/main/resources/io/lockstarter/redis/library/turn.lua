-- Lets those have the lock, or ask for it, whose turn it is.
--
-- Who waits is told when all of this is done, and after a pause most of its time goes into
-- what is touched for the first time: kinds of commands, functions, tables.

-- Tells a client of its turn; a grant that reaches nobody is taken back. One that is to ask by
-- itself, and is no reader, keeps its place until it does. So does one that hears no messages,
-- or cannot be sent any, and nobody may overtake it meanwhile.
local function tell(waiter, place, kind, sequence, granted, wanted)
  local message = granted and string.format('%s %d %s', granted, wanted and 1 or 0, KEYS[1]) or KEYS[1]
  local reached = redis.pcall('PUBLISH', waiter, message)
  local told = type(reached) == 'number' and (reached > 0 or ARGV[7] == 'c')
  local polls = sequence == '0' or sequence and type(reached) ~= 'number'
  if polls then
    turn = true
  end
  if polls or told and not granted and string.lower(kind) ~= 'r' then
    put_back(waiter, place)
  else
    redis.pcall('HDEL', KEYS[4], 'w:' .. client_on(waiter))
  end
  if granted and not told then
    take_back(waiter, sequence, kind ~= 'X' and kind ~= 'F')
  end
  return told or polls
end

-- Lets the first who waits have their turn: one alone, or all who may have the lock together up to
-- the first who may not, and those only if others have it so already. They are told whether others
-- wait, of whom this client is one if it stays; a reader that stays may join readers. Returns whether
-- anybody was told, and whether this client goes on waiting.
local function give_turn(shared, stays, reads)
  local woken, missed = false, false
  repeat
    local waiter, place, kind, sequence, lease, holder, seen = take()
    if waiter and permits_of(kind, holder) > 1 then
      local shares = take_shares(waiter, place, kind, sequence, lease, holder, seen)
      stays = stays and not reads
      missed = false
      for _, each in ipairs(shares) do
        local told = tell(each[1], each[2], each[3], each[4], each[5], stays or others)
        woken, missed = woken or told, missed or not told
      end
    elseif waiter and (shared or woken) then
      put_back(waiter, place)
      break
    elseif waiter then
      local granted = grant(waiter, kind, sequence, lease, holder, seen)
      others = redis.call('EXISTS', KEYS[3]) == 1
      woken = tell(waiter, place, kind, sequence, granted, stays or others)
      missed = not woken
    end
    others = others and not missed
  until not (waiter and missed)
  return woken, stays
end
