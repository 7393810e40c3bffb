--[[ What is asked for: `items` claims with `keysOfItem` keys each and perhaps a token counter of their own, the clock,
and the answer of a server in doubt about its data. ]]
local call = redis.call
--@include clock
local isGuarded = #ARGV % 5 == 3
local items = (#ARGV - (isGuarded and 3 or 0)) / 5
local keysPerItem = (#KEYS - (isGuarded and 2 or 1)) / items
local ownsTokens = keysPerItem > keysOfItem

if isGuarded then
  --@include guard
end
