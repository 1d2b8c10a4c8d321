-- Lists a page of the locks of a server. Changes nothing.
--
-- KEYS 1 a key of the server, if the server belongs to a cluster
-- ARGV 1 cursor, 2 pattern of the locks' keys, 3 approximate number of keys to scan
-- Returns {next cursor or 0, keys of locks}
local page = redis.pcall('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
if page.err then
  return page
end
local found = {page[1]}
for _, key in ipairs(page[2]) do
  found[#found + 1] = key
end
return found
