--[[ expirable-semaphore-available: how many permits are free, those included whose lease has ended.
KEYS   1 permits string  2 leases zset: permit, end in epoch ms
ARGV   1 channel
Reply  now, ms; permits that are free ]]
local call = redis.call
--@include clock
--@include count
--@include reclaim
--@include publish-free
if reclaimed > 0 then publishFree(ARGV[1]) end
return { now, count }
