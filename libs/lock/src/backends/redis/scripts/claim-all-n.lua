--[[ claim all: grants several locks if all of them are free, else changes nothing.
KEYS, ARGV and Error as those of claim; no process joins a queue by this.
Reply  now, ms; {1, first token of each} | {0, number of the item in the way, retry, ms, [holder id]} | -1 stale | error text ]]
local keysOfItem = 3
--@include claim-args
local takeTokens
--@include take-tokens
--@include protected-call
--@include queue

-- By position: whether the process of the claim is the head of the queue.
local isFirst = {}

-- The obstacle to granting an item, if any. A grant of the claim itself is none, unless it was revoked.
local function obstacleTo(at, arg)
  local lock = KEYS[at]
  if call('HLEN', lock) == 0 then
    local own = memberOf(arg)
    local head, ask, rest = liveHead(at, own)
    isFirst[at] = head == own
    if not head or head == own then return nil end
    if hasLostHead then
      --@include wake
      wake(lock, head, ask)
    end
    return { rest + 1 }
  end
  local state = call('HMGET', lock, ARGV[arg], 'bedrock_revoked', 'mode')
  if state[3] then return 'WRONGTYPE a read-write lock' end
  if state[1] and not state[2] then return nil end
  local fields = call('HSCAN', lock, '0')[2]
  return { call('PTTL', lock), fields[1] == 'bedrock_revoked' and fields[3] or fields[1] }
end

-- The positions of the keys and the arguments of an item.
local function positionsOf(item)
  return 2 + (item - 1) * keysPerItem, item * 5 - 4
end

for item = 1, items do
  local at, arg = positionsOf(item)
  if now >= ARGV[arg + 2] + 0 then return { now, -1 } end
  local obstacle = protectedCall(obstacleTo, at, arg)
  if type(obstacle) == 'string' then return { now, obstacle } end
  if obstacle then return { now, { 0, item, obstacle[1], obstacle[2] } } end
end
-- Every step that may fail comes before the first grant.
local answer = { 1 }
for item = 1, items do
  local at, arg = positionsOf(item)
  answer[item + 1] = takeTokens(at, arg + 3)
  if type(answer[item + 1]) == 'string' then return { now, answer[item + 1] } end
  if isFirst[at] then dequeue(at, memberOf(arg)) end
end
for item = 1, items do
  local at, arg = positionsOf(item)
  if call('HEXISTS', KEYS[at], ARGV[arg]) == 0 then call('HSET', KEYS[at], ARGV[arg], '1') end
  if call('PTTL', KEYS[at]) < tonumber(ARGV[arg + 1]) then call('PEXPIRE', KEYS[at], ARGV[arg + 1]) end
end
return { now, answer }
