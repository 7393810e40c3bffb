--[[ The held permits of a semaphore. By claim id, a zset has the end of the lease, server ms, and a hash the number of
permits, with ` revoked` behind it while renewals are refused. `held` in the hash is the sum of all. Both keys expire with
the last lease. `at` is the position of the item's keys: hash, queue, asks, zset. ]]
--@needs call, now
--@sets fits, setLeaseEnd, expireWithLastLease, grant, extend, release, reclaim
local function fits(at, units, capacity)
  return (call('HGET', KEYS[at], 'held') or 0) + units <= tonumber(capacity)
end

local function setLeaseEnd(at, id, ms)
  call('ZADD', KEYS[at + 3], string.format('%.0f', now + ms), id)
end

local function expireWithLastLease(at)
  local last = call('ZRANGE', KEYS[at + 3], '-1', '-1', 'WITHSCORES')[2]
  if not last then return end
  call('PEXPIREAT', KEYS[at + 3], last)
  call('PEXPIREAT', KEYS[at], last)
end

-- The end comes first: a user without all rights may fail halfway, and permits with an end are reclaimed.
local function grant(at, id, units, ms)
  setLeaseEnd(at, id, ms)
  call('HSET', KEYS[at], id, units)
  call('HINCRBY', KEYS[at], 'held', units)
  expireWithLastLease(at)
end

-- Makes a lease longer, never shorter.
local function extend(at, id, ms)
  if tonumber(call('ZSCORE', KEYS[at + 3], id)) >= now + ms then return end
  setLeaseEnd(at, id, ms)
  expireWithLastLease(at)
end

local function release(at, id)
  if call('ZREM', KEYS[at + 3], id) == 0 then return 0 end
  local units = string.match(call('HGET', KEYS[at], id) or '0', '^%d+')
  call('HDEL', KEYS[at], id)
  -- Not -units: minus zero is no integer to Redis before 7.2.
  if call('HINCRBY', KEYS[at], 'held', 0 - units) <= 0 then call('DEL', KEYS[at]) end
  return 1
end

-- Frees the leases that have ended by the server's clock. Returns their number.
local function reclaim(at)
  local ended = call('ZRANGEBYSCORE', KEYS[at + 3], '-inf', now)
  for _, id in ipairs(ended) do release(at, id) end
  return #ended
end
