--[[ pass(at, mode, news, asking): lets in the head of the line, and whoever comes next, as long as they fit beside what is held:
`mode`, false for nothing. Grants to them, or wakes the first that has to ask by itself, but nobody from `asking` on; without
anybody in line, tells `news`. Nothing is granted while a client that stands in no line waits as well. The mode that it
leaves. ]]
--@include grant
local function hasOutsiders(lock)
  --@include tag
  --@include channels
  local listening = call('PUBSUB', NUMSUB, 'redisson_rwlock:' .. tag, 'bedrock_rwlock:' .. tag)
  return listening[2] > listening[4]
end

-- Whether a reader, or a writer, fits beside what is held.
local function fits(mode, writes)
  return not mode or (mode == 'read' and not writes)
end

local function pass(at, mode, news, asking)
  local lock = KEYS[at]
  local head, ask = liveHead(at, asking)
  while head and head ~= asking and fits(mode, string.find(ask, '^%d+ %d+:write')) do
    local number, lease, tokens = string.match(ask, ' (%S+) (%d+) (%d+)$')
    if not number or hasOutsiders(lock) or not grantTo(at, head .. ':' .. number, lease, tokens) then
      wake(lock, head, news)
      return mode
    end
    leave(at, head)
    mode, news = isWriter(number) and 'write' or 'read', nil
    head, ask = liveHead(at, asking)
  end
  if not head and news then wake(lock, nil, news) end
  return mode
end
