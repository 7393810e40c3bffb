--[[ expirable-semaphore-release: frees permits. Its stored answer is also a mark: an expirable-semaphore-take under the same
answer takes nothing.
KEYS   1 permits string  2 leases zset: permit, end in epoch ms  3 stored answer
ARGV   1 not after, server ms 2 life of the stored answer, ms 3 channel; permits in hex
Reply  now, ms; how many were still held. Stale: now alone ]]
--@include deduplicate
--@include count
--@include reclaim
--@include publish-free
--@include permit
local held = 0
for at = 4, #ARGV do held = held + call('ZREM', KEYS[2], permitOf(ARGV[at])) end
if held > 0 then count = call('INCRBY', KEYS[1], held) end
if held + reclaimed > 0 then publishFree(ARGV[3]) end
return storeAnswer(held)
