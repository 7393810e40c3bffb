--[[ record begin: makes a record in flight, unless there is one already.
KEYS   1 record hash {owner, print, value}
ARGV   1 owner 2 fingerprint 3 lease, ms 4 not after, server ms
Reply  1 made, or made before by this owner | {owner, fingerprint, ttl, ms, value, if completed} | now, ms: it is too late ]]
local call = redis.call
local owner, print, value = unpack(call('HMGET', KEYS[1], 'owner', 'print', 'value'))
if owner and (owner ~= ARGV[1] or value) then
  return { owner, print, call('PTTL', KEYS[1]), value }
end
--@include clock
if now > ARGV[4] + 0 then return now end
call('HSET', KEYS[1], 'owner', ARGV[1], 'print', ARGV[2])
call('PEXPIRE', KEYS[1], ARGV[3])
return 1
