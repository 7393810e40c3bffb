--[[ Reads what a claim asks for: `items` claims, each with `keysOfItem` keys and perhaps its own token counter. Reads the
clock. Answers for a server that may have lost data. ]]
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
