-- The tenure that a command is about: ARGV 1 client id, 2 sequence.

local tenure = ARGV[1] .. ':' .. ARGV[2]
