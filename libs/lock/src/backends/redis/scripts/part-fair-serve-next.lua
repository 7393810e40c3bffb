--[[ serveNext(at, head, ask): passes a free lock on: grants it to a head of Bedrock, or wakes the head. A head of Redisson
is never granted: its own request would count as a second hold. ]]
--@needs call, time, keysPerItem, keysOfItem, now, dequeue, wake
--@sets serveNext
--@include push-grant
local function serveNext(at, head, ask)
  local lease, tokens = string.match(head and ask or '', ' (%d+) (%d+)$')
  if lease and pushGrant(at, head, lease, tokens) then dequeue(at, head) else wake(KEYS[at], head, ask) end
end
