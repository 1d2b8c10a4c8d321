-- Lets a client send itself a message, as the acquire and the release script send messages to
-- others, so that it learns whether messages come.
--
-- KEYS 1 the wake channel of the client
-- Returns {why it is refused, or ''; how many subscribers this server has to it}
local sent = redis.pcall('PUBLISH', KEYS[1], '')
if type(sent) == 'table' then
  return {sent.err, 0}
end
return {'', sent}
