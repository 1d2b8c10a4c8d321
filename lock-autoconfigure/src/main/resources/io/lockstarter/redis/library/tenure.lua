-- The tenure of a command: ARGV 1 client id, 2 sequence.

local tenure = ARGV[1] .. ':' .. ARGV[2]
