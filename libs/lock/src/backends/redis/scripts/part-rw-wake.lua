--[[ wake(lock, head, redissonMessage): tells `head`, if there is one, that it may ask; and `redissonMessage` on Redisson's
channel: `0` after reading, so that one of its clients asks, `1` after writing, so that all do. Bedrock ignores it when the
head was told: it has two digits then, which are the same number. ]]
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
