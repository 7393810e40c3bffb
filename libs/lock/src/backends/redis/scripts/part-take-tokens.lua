--[[ Makes the local `takeTokens` a function. takeTokens(key, arg): the first of ARGV[arg] fencing tokens for the item of
KEYS[key], 0 when none is wanted, or the text of an error. The counter is the lock's own or the shared one. On the shared
one the first call reserves the tokens of all later items: gaps do no harm. ]]
--@needs call, time, takeTokens, ownsTokens, keysOfItem, items
--@sets takeTokens
--@include reserve-tokens
local nextToken

takeTokens = function(key, arg)
  local count = tonumber(ARGV[arg])
  if count == 0 then return 0 end
  if ownsTokens then return reserveTokens(KEYS[key + keysOfItem], count) end
  if not nextToken then
    local ahead = count
    for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end
    nextToken = reserveTokens(KEYS[1], ahead)
  end
  if type(nextToken) == 'string' then return nextToken end
  nextToken = nextToken + count
  return nextToken - count
end
