--[[ inspect of a semaphore: the holders of permits.
KEYS   1 units hash  2 queue list  3 asks hash  4 ends zset
Reply  per lease that has not ended: claim id, rest of the lease, ms, permits (with ` revoked` behind) ]]
local call = redis.call
--@include clock
local reply = {}
local leases = call('ZRANGEBYSCORE', KEYS[4], string.format('(%.0f', now), '+inf', 'WITHSCORES')
for at = 1, #leases, 2 do
  reply[#reply + 1] = leases[at]
  reply[#reply + 1] = leases[at + 1] - now
  reply[#reply + 1] = call('HGET', KEYS[1], leases[at]) or '0'
end
return reply
