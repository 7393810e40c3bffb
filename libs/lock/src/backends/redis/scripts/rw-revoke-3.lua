--[[ revoke of a read-write lock: ends all grants against the will of their holders, and makes their processes verify them.
'atExpiry' refuses renewals to the present holders only.
KEYS, ARGV, Reply  as revoke-3 ]]
--@take write-grant from rw-write-grant
--@take wake from rw-wake
local call = redis.call
local lock, keysOfItem, keysPerItem = KEYS[1], 3, 3
--@include rw-hold
--@include rw-holders
local holders = holdersOf(lock)
if ARGV[1] == 'now' then
  --@include clock
  --@include queue
  --@include wake
  for _, holder in ipairs(holders) do call('DEL', holdKey(lock, holder.name)) end
  call('DEL', lock)
  local head = liveHead(1)
  if #holders > 0 then wake(lock, head, '1') end
else
  for _, holder in ipairs(holders) do
    if holder.rest > 0 then call('SET', holdKey(lock, holder.name), 'revoked', 'PX', holder.rest) end
  end
end
for _, holder in ipairs(holders) do
  local process, message = string.match(holder.name, '^[^:]*'), '!' .. lock
  --@include publish
end
return #holders > 0 and 1 or 0
