--[[ serveQueue(at): grants free permits to the heads of the queue, one after the other while they fit, and tells their
processes, which so saves each a trip; a head that has to ask itself is woken, and those behind it wait for it. Such a grant
is short, so that a dead waiter keeps its permits for no longer; its first renewal makes it the lease that was asked for. ]]
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
