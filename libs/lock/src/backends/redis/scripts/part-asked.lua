--[[ What is asked for: `items` claims with `keysOfItem` keys each and perhaps a token counter of their own, the clock, tokens,
and the answer of a server in doubt about its data. ]]
local call = redis.call
--@include clock
local isGuarded = #ARGV % 5 == 3
local items = (#ARGV - (isGuarded and 3 or 0)) / 5
local keysPerItem = (#KEYS - (isGuarded and 2 or 1)) / items
local ownsTokens = keysPerItem > keysOfItem
--@include tokens

if isGuarded then
  --@include guard
  local rest = quarantineMs(KEYS[#KEYS], ARGV[#ARGV - 2], ARGV[#ARGV - 1], ARGV[#ARGV] == '1', now)
  if rest > 0 then return redis.error_reply(string.format('QUARANTINED %.0f', rest)) end
end
