--[[ afterWithdraw(at, arg, isFreed): the rest of a withdraw where marks, the grant of another holder or a queue remain.
Leaves the queue if asked to. Passes a free lock to the first live waiter. ]]
--@needs call, keysPerItem, keysOfItem, wake
--@sets afterWithdraw
--@include clock
--@include queue
--@include serve-next
local function afterWithdraw(at, arg, isFreed)
  local lock = KEYS[at]
  if isFreed then
    call('HDEL', lock, 'bedrock_revoked')
    -- Remaining fields belong to another holder: a lock of another type was taken over this one.
    isFreed = call('EXISTS', lock) == 0
  end
  local wasHead = call('LINDEX', KEYS[at + 1], '0') == memberOf(arg)
  dequeueWithdrawn(at, arg)
  local head, ask = liveHead(at)
  if isFreed or (wasHead and call('EXISTS', lock) == 0) then serveNext(at, head, ask) end
end
