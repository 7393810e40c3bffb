--[[ record complete: stores a value in the owner's record.
KEYS   1 record hash {owner, print, value}
ARGV   1 owner 2 value 3 life of it, ms
Reply  1 stored, or stored before | 0 gone, of another owner, or completed with another value ]]
local owner, value = unpack(redis.call('HMGET', KEYS[1], 'owner', 'value'))
if owner ~= ARGV[1] then return 0 end
if value then return value == ARGV[2] and 1 or 0 end
redis.call('HSET', KEYS[1], 'value', ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
