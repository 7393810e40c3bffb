--[[ wake(lock, head): tells the head of the queue that it may ask: a waiter of Redisson on its own channel, one of Bedrock
on that of its process, by claim. Nobody else may take the lock, so without a head nobody is told. ]]
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
