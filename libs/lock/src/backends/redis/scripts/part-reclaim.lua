--[[ reclaim: permits whose lease has ended are free again. KEYS[2] has the leases; count is what KEYS[1] has. ]]
--@needs call, now, count
--@sets reclaimed, count
local reclaimed = call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if reclaimed > 0 then count = call('INCRBY', KEYS[1], reclaimed) end
