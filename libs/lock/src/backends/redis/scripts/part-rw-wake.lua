--[[ wake(lock, head, redissonMessage): wakes `head`, if there is one, and publishes `redissonMessage` on Redisson's
channel: `0` after reading, so that one of its clients asks, `1` after writing, so that all ask. With a head the message has
two digits: the same number to Redisson, and ignored by Bedrock. ]]
--@needs call
--@sets wake
local function wake(lock, head, redissonMessage)
  if head then
    local process, message = head, '+' .. lock
    --@include publish
  end
  if not redissonMessage then return end
  --@include tag
  --@include channel-commands
  call(PUBLISH, 'redisson_rwlock:' .. tag, head and '0' .. redissonMessage or redissonMessage)
end
