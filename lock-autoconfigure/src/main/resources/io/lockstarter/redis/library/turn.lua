-- Lets those have the lock, or ask for it, whose turn it is.
--
-- Who waits is told when all of this is done, and after a pause most of its time goes into
-- what is touched for the first time: kinds of commands, functions, tables.

-- Tells a client of its turn; a grant that reaches nobody is taken back. One that is to ask by
-- itself, and exclude others, keeps its place until it does. So does one that hears no messages,
-- or cannot be sent any, and nobody may overtake it meanwhile.
local function tell(waiter, place, excludes, sequence, granted, wanted)
  local message = granted and string.format('%s %d %s', granted, wanted and 1 or 0, KEYS[1]) or KEYS[1]
  local reached = redis.pcall('PUBLISH', waiter, message)
  local told = type(reached) == 'number' and (reached > 0 or ARGV[7] == 'c')
  local polls = sequence == '0' or sequence and type(reached) ~= 'number'
  if polls then
    turn = true
  end
  if polls or told and not granted and excludes then
    put_back(waiter, place)
  else
    redis.pcall('HDEL', KEYS[4], 'w:' .. client_on(waiter))
  end
  if granted and not told then
    take_back(waiter, sequence, not excludes)
  end
  return told or polls
end

-- Lets the first who waits have their turn: one alone, or all readers up to the first that is
-- none, and those only if readers have the lock already. They are told whether others wait, of
-- whom this client is one if it stays; a reader that stays may join readers. Returns whether
-- anybody was told, and whether this client goes on waiting.
local function give_turn(shared, stays, reads)
  local woken = false
  local waiter, place, kind, sequence, lease, holder = take()
  while waiter and not woken do
    if kind ~= 'r' and kind ~= 'R' then
      if shared then
        put_back(waiter, place)
        break
      end
      local granted = grant(waiter, kind, sequence, lease, holder)
      others = redis.call('EXISTS', KEYS[3]) == 1
      woken = tell(waiter, place, true, sequence, granted, stays or others)
    else
      local readers = {}
      repeat
        readers[#readers + 1] = {waiter, place, sequence, grant(waiter, kind, sequence, lease, holder)}
        waiter, place, kind, sequence, lease, holder = take()
      until not waiter or kind ~= 'r' and kind ~= 'R'
      if waiter then
        put_back(waiter, place)
      end
      stays = stays and not reads
      for _, reader in ipairs(readers) do
        woken = tell(reader[1], reader[2], false, reader[3], reader[4], stays or others) or woken
      end
    end
    if not woken then
      others = false
      waiter, place, kind, sequence, lease, holder = take()
    end
  end
  return woken, stays
end
