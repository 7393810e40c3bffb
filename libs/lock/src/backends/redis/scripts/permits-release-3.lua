--[[ permits-release: permits are free again. Its memo is also a mark: a permits-take under the same one takes nothing.
KEYS   1 permits string  2 leases zset: permit, end in epoch ms  3 memo
ARGV   1 not after, server ms 2 life of the memo, ms 3 channel; permits in hex
Reply  now, ms; how many were still held. Stale: now alone ]]
--@include once
--@include count
--@include reclaim
--@include free
--@include permit
local held = 0
for at = 4, #ARGV do held = held + call('ZREM', KEYS[2], permitOf(ARGV[at])) end
if held > 0 then count = call('INCRBY', KEYS[1], held) end
if held + reclaimed > 0 then tellFree(ARGV[3]) end
return done(held)
