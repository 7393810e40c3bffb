--[[ record renew: restarts the lease of a record in flight.
KEYS   1 record hash {owner, print, value}
ARGV   1 owner 2 lease, ms
Reply  1 renewed | 0 gone, of another owner, or completed ]]
local owner, value = unpack(redis.call('HMGET', KEYS[1], 'owner', 'value'))
if owner ~= ARGV[1] or value then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
