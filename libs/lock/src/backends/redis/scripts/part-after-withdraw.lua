--[[ afterWithdraw(at, arg, isFreed): after a withdraw that leaves something: marks, the grant of somebody else, a queue.
Leaves the queue if asked to, and passes a free lock on to whoever is first in it once the dead are gone. ]]
--@needs call, keysPerItem, keysOfItem, wake
--@sets afterWithdraw
--@include clock
--@include queue
--@include serve-next
local function afterWithdraw(at, arg, isFreed)
  local lock = KEYS[at]
  if isFreed then
    call('HDEL', lock, 'bedrock_revoked')
    -- What is left belongs to somebody else: a lock of another type was taken over this one.
    isFreed = call('EXISTS', lock) == 0
  end
  local wasHead = call('LINDEX', KEYS[at + 1], '0') == memberOf(arg)
  dequeueWithdrawn(at, arg)
  local head, ask = liveHead(at)
  if isFreed or (wasHead and call('EXISTS', lock) == 0) then serveNext(at, head, ask) end
end
