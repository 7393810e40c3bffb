--[[ wake(lock, head, news): tells `head`, if there is one, that it may ask; and `news` on Redisson's channel: `0` after
reading, so that one of its clients asks, `1` after writing, so that all do. Bedrock ignores it when the head was told: it
has two digits then, which are the same number. ]]
local function wake(lock, head, news)
  if head then
    local process, message = head, '+' .. lock
    --@include tell
  end
  if not news then return end
  --@include tag
  --@include channels
  call(PUBLISH, 'redisson_rwlock:' .. tag, head and '0' .. news or news)
end
