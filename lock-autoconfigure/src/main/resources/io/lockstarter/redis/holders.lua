-- Inspects the holders of a lock and its waiting requests. Changes nothing.
--
-- KEYS 1 lock, 2 fence, 3 waiters, 4 clients
-- Returns {number of waiting requests, number of their clients, first queue position or 0, and for
--         each tenure that holds the lock: client id, sequence, holder, held for ms,
--         remaining lease in ms, first token base}
--         {what}  the key holds something that is not a lock

--@ lock
local all = redis.pcall('HGETALL', KEYS[1])
if all.err then
  return reply_to(all)
end
--@ time, share
local known = redis.call('HMGET', KEYS[1], 'by', 'shared')
local shared = known[2] == 'lock-starter'
local base, holder = parse_by(known[1])
if #all > 6 and not shared then
  return {'hash of ' .. #all / 2 .. ' fields'}
end

-- Dead clients are not counted. Other scripts remove them.
--@ queue
local found = {0, 0, 0}
local queue = redis.pcall('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
for i = 1, #queue, 2 do
  local known = redis.pcall('HGET', KEYS[4], 'w:' .. client_on(queue[i]))
  local kind, seen, _, _, _, requests = parse_registration(type(known) == 'string' and known)
  if not kind or is_alive(seen) then
    found[1], found[2] = found[1] + requests, found[2] + 1
    found[3] = found[3] == 0 and tonumber(queue[i + 1]) or found[3]
  end
end
local function add(field, name, first, remaining)
  local held = math.max(0, math.floor((micros - first) / 1000))
  for _, value in ipairs({client_of(field), string.match(field, '%d+$'), name, held, remaining, tonumber(first)}) do
    found[#found + 1] = value
  end
end

for i = 1, #all, 2 do
  local field = all[i]
  if field ~= 'by' and field ~= 'waits' and not (shared and field == 'shared') then
    local deadline, first, name = parse_share(all[i + 1])
    if not (client_of(field) and base and (deadline or not shared)) then
      return {'hash of another layout'}
    elseif not shared then
      add(field, holder, base, redis.call('PTTL', KEYS[1]))
    elseif tonumber(deadline) >= millis then
      add(field, name, first, deadline - millis)
    end
  end
end
return found
