--[[ record remove.
KEYS   1 record hash {owner, print, value}
Reply  1 removed | 0 there was none ]]
-- A key of another application is not deleted.
if not redis.call('HGET', KEYS[1], 'owner') then return 0 end
return redis.call('DEL', KEYS[1])
