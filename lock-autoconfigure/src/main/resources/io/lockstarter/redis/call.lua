-- Sends a message to all clients whose subscriptions this server has.
--
-- KEYS 1 a key of the server, if it is one of a cluster
-- ARGV 1 pattern of the wake channels, 2 message
-- Returns to how many clients it was sent
local channels = redis.call('PUBSUB', 'CHANNELS', ARGV[1])
for _, channel in ipairs(channels) do
  redis.call('PUBLISH', channel, ARGV[2])
end
return #channels
