--[[ The body of a withdraw: `keysOfItem` keys per item, the first of them the lock hash and the second its line. After most
releases nothing is left, neither marks in the hash nor a line. To define a function costs as much as to ask Redis
something, so what only the others need is defined where they need it. ]]
local call = redis.call
--@include wake

local items = #ARGV / 3
local keysPerItem = (#KEYS - 1) / items
local reply = {}
for item = 0, items - 1 do
  local at, arg = 2 + item * keysPerItem, 1 + item * 3
  local lock, isKept = KEYS[at], ARGV[arg + 1] ~= '0'
  local ended
  if isKept then
    --@include item
    --@include keep
    ended = answerOf(keep, at, arg)
  else
    ended = redis.pcall('HDEL', lock, ARGV[arg])
    if type(ended) == 'table' then ended = ended.err end
  end
  if type(ended) == 'number' then
    local isFreed = ended == 1 and not isKept
    if call('EXISTS', lock, KEYS[at + 1]) > 0 then
      --@include item
      --@include settle
      ended = answerOf(settle, at, arg, isFreed) or ended
    elseif isFreed then
      wake(lock)
    end
  end
  reply[#reply + 1] = ended
end
return #reply == 1 and reply[1] or reply
