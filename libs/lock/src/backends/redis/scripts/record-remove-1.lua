--[[ record remove.
KEYS   1 record hash {owner, print, value}
Reply  1 removed | 0 there was none ]]
-- A name that holds something else is not emptied.
if not redis.call('HGET', KEYS[1], 'owner') then return 0 end
return redis.call('DEL', KEYS[1])
