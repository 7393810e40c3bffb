--[[ revoke of a read-write lock: ends grants against the will of their holders, and makes their processes verify them.
'atExpiry' refuses renewals to the present holders only.
KEYS, ARGV, Reply  as revoke-3 ]]
--@take write-grant from rw-write-grant
--@take wake from rw-wake
local call = redis.call
local lock, keysOfItem, keysPerItem = KEYS[1], 3, 3
--@include rw-hold
--@include rw-holders
--@include rw-release
local holders = {}
for _, holder in ipairs(holdersOf(lock)) do
  if not ARGV[2] or idOf(holder.name) == ARGV[2] then table.insert(holders, holder) end
end
if ARGV[1] == 'now' then
  --@include clock
  --@include queue
  --@include wake
  local isFreed = not ARGV[2]
  for _, holder in ipairs(holders) do
    if not ARGV[2] then
      call('DEL', holdKey(lock, holder.name))
    else
      local release = isWriter(holder.name) and releaseWriter or releaseReader
      local _, hasFreed = release(lock, idOf(holder.name), '0')
      isFreed = isFreed or hasFreed
    end
  end
  if not ARGV[2] then call('DEL', lock) end
  local head = liveHead(1)
  if #holders > 0 and isFreed then wake(lock, head, '1') end
else
  for _, holder in ipairs(holders) do
    if holder.rest > 0 then call('SET', holdKey(lock, holder.name), 'revoked', 'PX', holder.rest) end
  end
end
for _, holder in ipairs(holders) do
  -- On the channel that the whole cluster hears: a holder that does not wait listens to no channel of the lock.
  call('PUBLISH', 'bedrock_wake:' .. string.match(holder.name, '^[^:]*'), '!' .. lock)
end
return #holders > 0 and 1 or 0
