-- Arguments of a command that concerns one tenure. The client omits empty arguments at the end.
--
--  1 client id, 2 sequence: together the tenure
--  3 lease in ms
--  4 minimum retention of the clients, on a server of a quorum also of the fence, in ms
--  5 holder, as shown to other clients
--  6 a if this command was sent before: the first one may have arrived, or may still arrive
--  7 wait mode: w wake the client, g the lock may be granted to the tenure by a message, p the client
--    polls because it receives no messages; followed by the number of its waiting requests unless it
--    is 1; empty if the client does not wait
--  8 queue position, empty for a new position
--  9 time that a fair request has waited without a queue position, in microseconds
-- 10 mode: x exclusive, f exclusive and fair, r reader, p one of several permits; or the number of
--    permits
-- 11 next step of a client that ends a tenure: s it keeps its queue position if it has one, r it sends
--    another request at once, or the sequence of the tenure with which it waits; empty if it leaves
-- 12 m if an acquire of the tenure may arrive later, so that its end leaves a tombstone
-- 13 c in a cluster, where PUBLISH does not count all subscribers
-- 14 first token base that the client of a quorum proposes or restores
-- 15 maximum difference between this base and the server's clock, in ms
-- 16 y if a lower base that was granted to the tenure before may be raised
-- 17 hold count

local CLIENT, SEQUENCE, LEASE, RETENTION, HOLDER = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5] or ''
local again = ARGV[6] == 'a'
local tenure = CLIENT .. ':' .. SEQUENCE
