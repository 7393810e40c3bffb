--[[ publishFree(channel): wakes waiters for permits. The message is the number of free permits, as Redisson's waiters
expect it: as many of them ask. ]]
--@needs call, count
--@sets publishFree
local function publishFree(channel)
  --@include channel-commands
  if count > 0 then call(PUBLISH, channel, string.format('%.0f', count)) end
end
