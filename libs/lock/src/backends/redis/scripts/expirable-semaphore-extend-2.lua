--[[ expirable-semaphore-extend: restarts the lease of a permit, if it has not ended.
KEYS   1 permits string  2 leases zset: permit, end in epoch ms
ARGV   1 not after, server ms 2 channel 3 lease, ms (-1: for ever) 4 permit in hex
Reply  now, ms; 1 extended | 0 not held. Stale: now alone ]]
local NEVER = 922337203685477
local call = redis.call
--@include clock
if now > tonumber(ARGV[1]) then return { now } end
--@include count
--@include reclaim
--@include publish-free
--@include permit
if reclaimed > 0 then publishFree(ARGV[2]) end
local permit, lease = permitOf(ARGV[4]), tonumber(ARGV[3])
if not call('ZSCORE', KEYS[2], permit) then return { now, 0 } end
call('ZADD', KEYS[2], lease < 0 and NEVER or now + lease, permit)
return { now, 1 }
