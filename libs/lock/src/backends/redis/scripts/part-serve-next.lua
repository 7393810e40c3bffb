--[[ serveNext(at, head, ask): passes a free lock on: grants it to the head of the queue, wakes the head, or wakes all.
Grants nothing to the head while a client outside the queue waits as well, which would never be served. Such clients
subscribe to Redisson's channel alone, Bedrock to both. ]]
--@needs call, time, keysPerItem, keysOfItem, now, dequeue, wake
--@sets serveNext
--@include push-grant
local function hasUnqueuedClients(lock)
  --@include tag
  --@include channel-commands
  local listening = call('PUBSUB', NUMSUB, 'redisson_lock__channel:' .. tag, 'bedrock_lock__channel:' .. tag)
  return listening[2] > listening[4]
end

local function serveNext(at, head, ask)
  local number, lease, tokens = string.match(head and ask or '', ' (%d+) (%d+) (%d+)$')
  if number and not hasUnqueuedClients(KEYS[at]) and pushGrant(at, head .. ':' .. number, lease, tokens) then
    dequeue(at, head)
  else
    wake(KEYS[at], head)
  end
end
