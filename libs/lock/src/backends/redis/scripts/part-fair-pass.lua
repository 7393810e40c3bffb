--[[ pass(at, head, ask): passes a free lock on: grants it to a head of Bedrock, or wakes it. A head of Redisson is never
granted: its own question would count as a second hold. ]]
--@include grant
local function pass(at, head, ask)
  local lease, tokens = string.match(head and ask or '', ' (%d+) (%d+)$')
  if lease and grantTo(at, head, lease, tokens) then leave(at, head) else wake(KEYS[at], head, ask) end
end
