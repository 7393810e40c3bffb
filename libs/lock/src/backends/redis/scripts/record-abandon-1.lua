--[[ record abandon: removes the owner's record while it is in flight.
KEYS   1 record hash {owner, print, value}
ARGV   1 owner
Reply  1 removed | 0 there is none of this owner, or it is completed ]]
local owner, value = unpack(redis.call('HMGET', KEYS[1], 'owner', 'value'))
if owner ~= ARGV[1] or value then return 0 end
return redis.call('DEL', KEYS[1])
