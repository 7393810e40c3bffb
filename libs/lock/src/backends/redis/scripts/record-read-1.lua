--[[ record read.
KEYS   1 record hash {owner, print, value}
Reply  0 none | {owner, fingerprint, ttl, ms, value, if completed} ]]
local owner, print, value = unpack(redis.call('HMGET', KEYS[1], 'owner', 'print', 'value'))
if not owner then return 0 end
return { owner, print, redis.call('PTTL', KEYS[1]), value }
