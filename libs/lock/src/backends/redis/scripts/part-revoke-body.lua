--[[ The body of a revoke: the first key is the lock hash. ]]
local call = redis.call
local lock = KEYS[1]
local holders = call('HKEYS', lock)
if #holders == 0 then return 0 end
if call('HEXISTS', lock, 'mode') == 1 then return redis.error_reply('WRONGTYPE a read-write lock') end
if ARGV[2] and call('HEXISTS', lock, ARGV[2]) == 0 then return 0 end
if ARGV[1] == 'now' then
  --@include clock
  --@include queue
  --@include wake
  call('DEL', lock)
  local head, ask = liveHead(1)
  wake(lock, head, ask)
else
  call('HSET', lock, 'bedrock_revoked', '1')
end
for _, holder in ipairs(holders) do
  call('PUBLISH', 'bedrock_wake:' .. string.gsub(holder, ':.*$', ''), '!' .. lock)
end
return 1
