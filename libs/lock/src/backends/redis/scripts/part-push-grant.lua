--[[ pushGrant(at, holder, lease, tokens): grants a free lock to a claim that waits, and tells its process, which so saves a
trip; false when it was refused tokens. The grant is short, so that a dead waiter keeps nobody out for long; its first renewal
makes it the lease that was asked for. ]]
--@needs call, time, keysPerItem, keysOfItem, now
--@sets pushGrant
local PUSHED_LEASE_MS = QUEUE_TIMING.pushedLeaseMs
--@include reserve-tokens

local function pushGrant(at, holder, lease, tokens)
  local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]
  local token = tokens == '0' and 0 or reserveTokens(counter, tonumber(tokens))
  if type(token) == 'string' then return false end
  local lock, process, number = KEYS[at], string.match(holder, '^([^:]*):(%d+)')
  lease = math.min(lease, PUSHED_LEASE_MS)
  --@include write-grant
  local message = string.format('=%s %.0f %s %d %.0f %s', number, token, tokens, lease, now, lock)
  --@include publish
  return true
end
