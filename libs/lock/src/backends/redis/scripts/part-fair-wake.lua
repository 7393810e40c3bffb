--[[ wake(lock, head): tells the head of the line that it may ask: a waiter of Redisson on its own channel, one of Bedrock
on that of its process, by claim. Nobody else may take the lock, so without a head nobody is told. ]]
local function wake(lock, head, ask)
  if not head then return end
  if ask then
    local process, number = string.match(head, '^([^:]*):(.*)$')
    local message = '*' .. number .. ' ' .. lock
    --@include tell
  else
    --@include tag
    --@include channels
    call(PUBLISH, 'redisson_lock__channel:' .. tag .. ':' .. head, '0')
  end
end
