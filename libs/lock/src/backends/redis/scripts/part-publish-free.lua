--[[ publishFree(channel): wakes those who wait for permits. The message is the number that is free, as Redisson's waiters
expect it: so many of them ask. ]]
--@needs call, count
--@sets publishFree
local function publishFree(channel)
  --@include channel-commands
  if count > 0 then call(PUBLISH, channel, string.format('%.0f', count)) end
end
