--[[ revoke of a semaphore: as revoke-3, of all held permits or of those of one claim.
KEYS   1 units hash  2 queue list  3 asks hash  4 ends zset
ARGV, Reply  as revoke-3 ]]
local call = redis.call
--@include clock
--@include queue
--@include lease-semaphore
reclaim(1)
local ids = call('ZRANGE', KEYS[4], '0', '-1')
if ARGV[2] then ids = call('ZSCORE', KEYS[4], ARGV[2]) and { ARGV[2] } or {} end
if #ids == 0 then return 0 end
if ARGV[1] == 'now' then
  --@include lease-semaphore-serve
  for _, id in ipairs(ids) do release(1, id) end
  expireWithLastLease(1)
  serveQueue(1)
else
  for _, id in ipairs(ids) do
    call('HSET', KEYS[1], id, string.match(call('HGET', KEYS[1], id), '^%d+') .. ' revoked')
  end
end
local at, isNotified = 1, {}
-- The name of the semaphore, from that of its hash.
local lock = string.match(KEYS[at], '^bedrock_units:{(.*)}$') or string.gsub(KEYS[at], '^bedrock_units::', '')
for _, id in ipairs(ids) do
  local process = string.match(id, '^[^:]*')
  -- On the channel that the whole cluster hears: a holder that does not wait listens to no channel of the lock.
  if not isNotified[process] then call('PUBLISH', 'bedrock_wake:' .. process, '!' .. lock) end
  isNotified[process] = true
end
return 1
