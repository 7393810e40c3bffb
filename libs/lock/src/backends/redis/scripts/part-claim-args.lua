--[[ What is asked for: `items` claims with `keysOfItem` keys each and perhaps a token counter of their own, the clock,
and the answer of a server that may have lost data. ]]
--@needs keysOfItem
--@sets call, time, now, items, keysPerItem, ownsTokens
local call, KEYS, ARGV = redis.call, KEYS, ARGV
--@include clock
local args, keys = #ARGV - 1, #KEYS
if args % 5 == 3 then
  --@include restart-guard
  args, keys = args - 3, keys - 1
end
local items = args / 5
local keysPerItem = (keys - 1) / items
local ownsTokens = keysPerItem > keysOfItem
