--[[ serveQueue(at): grants free permits to the heads of the queue in turn while they fit. Each grant is published to its
process, which saves a round trip. A head that has to ask itself is woken, and the heads behind it wait. The lease of such a
grant is short, so a dead waiter keeps its permits only briefly. The first renewal extends it to the requested lease. ]]
--@needs call, liveHead, fits, grant, dequeue, now
--@sets serveQueue
local PUSHED_LEASE_MS = QUEUE_TIMING.pushedLeaseMs

local function publishToHead(at, process, message)
  -- The name of the semaphore, from that of its hash.
  local lock = string.match(KEYS[at], '^bedrock_units:{(.*)}$') or string.gsub(KEYS[at], '^bedrock_units::', '')
  message = message .. lock
  --@include publish
end

local function serveQueue(at)
  local head, ask = liveHead(at)
  while head do
    local number, lease, units, capacity = string.match(ask, ' (%d+) (%d+) (%d+) (%d+)$')
    if not number then return publishToHead(at, head, '+') end
    if not fits(at, units, capacity) then return end
    lease = math.min(lease, PUSHED_LEASE_MS)
    grant(at, head .. ':' .. number, units, lease)
    dequeue(at, head)
    publishToHead(at, head, string.format('=%s 0 0 %d %.0f ', number, lease, now))
    head, ask = liveHead(at)
  end
end
