--[[ pushGrant(at, holder, lease, tokens): grants a free lock to a waiting claim and publishes the grant to its process,
which saves a round trip. False when the tokens were refused. The lease of such a grant is short, so a dead waiter blocks
the lock only briefly. The first renewal extends it to the requested lease. ]]
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
