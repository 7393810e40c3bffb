--[[ expirable-semaphore-available: the number of free permits, with those whose lease has ended.
KEYS   1 permits string  2 leases zset: permit, end in epoch ms
ARGV   1 channel
Reply  now, ms; free permits ]]
local call = redis.call
--@include clock
--@include count
--@include reclaim
--@include publish-free
if reclaimed > 0 then publishFree(ARGV[1]) end
return { now, count }
