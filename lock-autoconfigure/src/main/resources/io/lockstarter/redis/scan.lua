-- Looks which locks a server has, some at a time, and changes nothing.
--
-- KEYS 1 a key of the server, if it is one of a cluster
-- ARGV 1 cursor, 2 pattern of the locks' keys, 3 how many keys to look at, about
-- Returns {cursor to go on with or 0, keys of locks}
local page = redis.pcall('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
if page.err then
  return page
end
local found = {page[1]}
for _, key in ipairs(page[2]) do
  found[#found + 1] = key
end
return found
