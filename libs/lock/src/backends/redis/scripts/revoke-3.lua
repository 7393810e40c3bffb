--[[ revoke: end a grant against its holder's will, and tell the holder's process to look.
At expiry, renewals are refused from now on: a field that dies with the hash says so, and Redisson ignores it.
KEYS   1 lock hash  2 line list  3 signs zset
ARGV   1 'now' | 'atExpiry'
Reply  1 revoked | 0 nobody held it ]]
local call = redis.call
local lock = KEYS[1]
local holders = call('HKEYS', lock)
if #holders == 0 then return 0 end
if call('HEXISTS', lock, 'mode') == 1 then return redis.error_reply('WRONGTYPE a read-write lock') end
if ARGV[1] == 'now' then
  --@include clock
  --@include line
  --@include wake
  call('DEL', lock)
  local head = liveHead(KEYS[2], KEYS[3], serverNow())
  wake(lock, head)
else
  call('HSET', lock, 'bedrock_revoked', '1')
end
for _, holder in ipairs(holders) do
  call('PUBLISH', 'bedrock_wake:' .. string.gsub(holder, ':.*$', ''), '!' .. lock)
end
return 1
