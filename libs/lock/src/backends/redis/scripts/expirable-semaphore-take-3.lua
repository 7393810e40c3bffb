--[[ expirable-semaphore-take: permits with a lease each, for callers in their order, all or none for each, up to the first
that must wait. A caller that asks again restarts the leases of the permits that it has already.
KEYS   1 permits string  2 leases zset: permit, end in epoch ms  3 stored answer: there is one when it was undone
ARGV   1 not after, server ms 2 channel; per caller: lease, ms (-1: for ever), number of permits, each permit in hex
Reply  now, ms; callers served; free permits; if a caller must wait, ms to the next end of a lease, else -1.
       Stale: now alone ]]
local NEVER = 922337203685477
local call = redis.call
--@include clock
if call('EXISTS', KEYS[3]) == 1 then return { now, 0, 0, -1 } end
if now > tonumber(ARGV[1]) then return { now } end
--@include count
--@include reclaim
--@include publish-free
--@include permit

-- How many of these permits are not held yet.
local function missing(permits)
  local held = 0
  for _, permit in ipairs(permits) do
    if call('ZSCORE', KEYS[2], permit) then held = held + 1 end
  end
  return #permits - held
end

local served, at = 0, 3
while at < #ARGV do
  local lease, size, permits = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), {}
  for i = 1, size do permits[i] = permitOf(ARGV[at + 1 + i]) end
  if size > count and missing(permits) > count then break end
  local added = 0
  for _, permit in ipairs(permits) do
    added = added + call('ZADD', KEYS[2], lease < 0 and NEVER or now + lease, permit)
  end
  if added > 0 then count = call('DECRBY', KEYS[1], added) end
  served, at = served + 1, at + 2 + size
end

-- If the number of permits has an expiry, the leases get it as well.
local ttl = served > 0 and call('PTTL', KEYS[1]) or -1
if ttl > 0 then call('PEXPIRE', KEYS[2], ttl) end
if reclaimed > 0 then publishFree(ARGV[2]) end
local first = at < #ARGV and call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES') or {}
local next = tonumber(first[2]) or NEVER
return { now, served, count, next < NEVER and next - now or -1 }
