--[[ serveNext(at, mode, redissonMessage, asking): grants to the heads of the queue in turn while they fit beside the held
`mode`, false for none. Wakes the first head that has to ask itself, and stops at `asking`. Publishes `redissonMessage` when
the queue is empty. Grants nothing while a client outside the queue waits as well. Returns the mode that it leaves. ]]
--@needs call, time, keysPerItem, keysOfItem, now, liveHead, wake, dequeue, isWriter
--@sets fits, serveNext
--@include push-grant
local function hasUnqueuedClients(lock)
  --@include tag
  --@include channel-commands
  local listening = call('PUBSUB', NUMSUB, 'redisson_rwlock:' .. tag, 'bedrock_rwlock:' .. tag)
  return listening[2] > listening[4]
end

-- Whether a reader, or a writer, fits beside the held mode.
local function fits(mode, writes)
  return not mode or (mode == 'read' and not writes)
end

local function serveNext(at, mode, redissonMessage, asking)
  local lock = KEYS[at]
  local head, ask = liveHead(at, asking)
  while head and head ~= asking and fits(mode, string.find(ask, '^%d+ %d+:write')) do
    local number, lease, tokens = string.match(ask, ' (%S+) (%d+) (%d+)$')
    if not number or hasUnqueuedClients(lock) or not pushGrant(at, head .. ':' .. number, lease, tokens) then
      wake(lock, head, redissonMessage)
      return mode
    end
    dequeue(at, head)
    mode, redissonMessage = isWriter(number) and 'write' or 'read', nil
    head, ask = liveHead(at, asking)
  end
  if not head and redissonMessage then wake(lock, nil, redissonMessage) end
  return mode
end
