-- Looks who has a lock and how many want it, and changes nothing.
--
-- KEYS 1 lock, 2 fence, 3 waiters
-- Returns {clients that wait, and for each who has it: client id, sequence, holder, held for
--         ms, remaining lease in ms, first token base or 0}
--         {what}  the key holds something that is not a lock
local all = redis.pcall('HGETALL', KEYS[1])
if all.err then
  --@ foreign
  return answer_to(all)
end
--@ time, lock, share
local shared = is_shared()
if not shared and #all > 2 then
  return {'hash of ' .. #all / 2 .. ' fields'}
end

local waiting = redis.pcall('ZCARD', KEYS[3])
local found = {type(waiting) == 'number' and waiting or 0}
local function add(field, holder, base, remaining)
  local first = tonumber(base)
  local held = math.max(0, math.floor((micros - (first or micros)) / 1000))
  for _, value in ipairs({client_of(field), string.match(field, '%d+$'), holder, held, remaining, first or 0}) do
    found[#found + 1] = value
  end
end

for i = 1, #all, 2 do
  if all[i] ~= 'shared' or not shared then
    local deadline, base, holder = parse_share(all[i + 1])
    if not client_of(all[i]) or shared and not deadline then
      return {'hash of another layout'}
    elseif not shared then
      local fence = redis.call('HMGET', KEYS[2], 'base', 'holder')
      add(all[i], fence[2] or all[i], fence[1], redis.call('PTTL', KEYS[1]))
    elseif tonumber(deadline) >= millis then
      add(all[i], holder, base, deadline - millis)
    end
  end
end
return found
