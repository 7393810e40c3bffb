--[[ wake(lock, head): wakes the waiters that may ask for a free lock. A live head is woken alone, on the channel of its
process. `00` on the lock's own channel is 0 to a Redisson client and ignored by Bedrock. Without a head, `0` wakes all. ]]
--@needs call
--@sets wake
local function wake(lock, head)
  if head then
    local process, message = head, '+' .. lock
    --@include publish
  end
  --@include tag
  --@include channel-commands
  call(PUBLISH, 'redisson_lock__channel:' .. tag, head and '00' or '0')
end
