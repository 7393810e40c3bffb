--[[ wake(lock, head, ask): lets the head of the queue ask: a waiter of Redisson hears of it on its own channel, a waiter of
Bedrock on that of its process, by claim. No other client may take the lock, so without a head there is no message. ]]
--@needs call
--@sets wake
local function wake(lock, head, ask)
  if not head then return end
  if ask then
    local process, number = string.match(head, '^([^:]*):(.*)$')
    local message = '*' .. number .. ' ' .. lock
    --@include publish
  else
    --@include tag
    --@include channel-commands
    call(PUBLISH, 'redisson_lock__channel:' .. tag .. ':' .. head, '0')
  end
end
