-- Sends a message to one client.
--
-- KEYS 1 the wake channel of the client
-- ARGV 1 message
-- Returns how many subscribers this server has to it
return redis.call('PUBLISH', KEYS[1], ARGV[1])
