-- Looks who has a lock and how many want it, and changes nothing.
--
-- KEYS 1 lock, 2 fence, 3 waiters: as the acquire script says
-- Returns {clients that wait, and for each who has it: client id, sequence, holder, held for
--         ms, remaining lease in ms, first token base or 0}
--         {what}  the key holds something that is not a lock
local all = redis.pcall('HGETALL', KEYS[1])
if all.err then
  if not string.find(all.err, 'WRONGTYPE', 1, true) then
    return all
  end
  return {'type ' .. redis.call('TYPE', KEYS[1]).ok}
end

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local millis = math.floor(micros / 1000)
local shared = redis.call('HGET', KEYS[1], 'shared') == 'lock-starter'
if not shared and #all > 2 then
  return {'hash of ' .. #all / 2 .. ' fields'}
end

local waiting = redis.pcall('ZCARD', KEYS[3])
local found = {type(waiting) == 'number' and waiting or 0}
local function add(client, sequence, holder, base, remaining)
  local first = tonumber(base)
  local held = math.max(0, math.floor((micros - (first or micros)) / 1000))
  for _, value in ipairs({client, sequence, holder, held, remaining, first or 0}) do
    found[#found + 1] = value
  end
end

for i = 1, #all, 2 do
  local client, sequence = string.match(all[i], '^(%x+):(%d+)$')
  if all[i] ~= 'shared' or not shared then
    if not client or #client ~= 32 then
      return {'hash of another layout'}
    end
    if shared then
      local deadline, base, holder = string.match(all[i + 1], '^(%d+) (%d+) (.*)$')
      if not deadline then
        return {'hash of another layout'}
      end
      if tonumber(deadline) >= millis then
        add(client, sequence, holder, base, deadline - millis)
      end
    else
      local fence = redis.call('HMGET', KEYS[2], 'base', 'holder')
      add(client, sequence, fence[2] or all[i], fence[1], redis.call('PTTL', KEYS[1]))
    end
  end
end
return found
