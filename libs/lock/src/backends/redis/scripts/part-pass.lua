--[[ pass(at, head, ask): passes a free lock on: grants it to the head of the line, or wakes it, or wakes all. Nothing is
granted to the head while a client that stands in no line waits as well: it would never be served. Such clients subscribe
to Redisson's channel alone, Bedrock to both. ]]
--@include grant
local function hasOutsiders(lock)
  --@include tag
  --@include channels
  local listening = call('PUBSUB', NUMSUB, 'redisson_lock__channel:' .. tag, 'bedrock_lock__channel:' .. tag)
  return listening[2] > listening[4]
end

local function pass(at, head, ask)
  local number, lease, tokens = string.match(head and ask or '', ' (%d+) (%d+) (%d+)$')
  if number and not hasOutsiders(KEYS[at]) and grantTo(at, head .. ':' .. number, lease, tokens) then
    leave(at, head)
  else
    wake(KEYS[at], head)
  end
end
