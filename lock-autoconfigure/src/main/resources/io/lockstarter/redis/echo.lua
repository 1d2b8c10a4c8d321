-- Publishes a message to the calling client, in the way in which other scripts publish messages, so
-- that the client learns whether messages arrive.
--
-- KEYS 1 the wake-up channel of the client
-- Returns {reason of a refusal or '', number of subscribers of the channel on this server}
local sent = redis.pcall('PUBLISH', KEYS[1], '')
if type(sent) == 'table' then
  return {sent.err, 0}
end
return {'', sent}
