--[[ inspect: the holders of a lock.
KEYS   1 lock hash
Reply  ttl, ms (-1: none, -2: not held), then field and value of each entry of the hash ]]
local call = redis.call
local reply = call('HGETALL', KEYS[1])
table.insert(reply, 1, call('PTTL', KEYS[1]))
return reply
