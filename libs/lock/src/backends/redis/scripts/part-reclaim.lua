--[[ reclaimed: the number of permits that became free because their lease has ended. KEYS[2] has the leases. `count`
follows KEYS[1]. ]]
--@needs call, now, count
--@sets reclaimed, count
local reclaimed = call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if reclaimed > 0 then count = call('INCRBY', KEYS[1], reclaimed) end
