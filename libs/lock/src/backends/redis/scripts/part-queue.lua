--[[ The queue of processes: a list in order of arrival, and a hash of their asks, by process: `<last sign, server ms>`,
followed by ` <n of the claim id> <lease, ms> <tokens>` if the claim may be granted without another request. Only the head
is woken or granted, so processes take turns. A head lives 1 s after its last sign. `at` is the position of the item's keys
(lock, queue, asks), `arg` that of its arguments, of which the first is the claim id. ]]
--@needs call, now
--@sets memberOf, enqueue, dequeue, dequeueWithdrawn, hasLostHead, liveHead
local HEAD_LIFE_MS = QUEUE_TIMING.headLifeMs
-- A queue expires this long after its last sign.
local QUEUE_TTL_MS = tostring(QUEUE_TIMING.queueLifeMs)

-- The member of the queue that stands for a claim: its process.
local function memberOf(arg)
  return string.match(ARGV[arg], '^[^:]*')
end

local function enqueue(at, arg)
  local ask = string.format('%.0f', now)
  if ARGV[arg + 4] == '2' then
    ask = ask .. ' ' .. string.match(ARGV[arg], ':(.*)$') .. ' ' .. ARGV[arg + 1] .. ' ' .. ARGV[arg + 3]
  end
  if call('HSET', KEYS[at + 2], memberOf(arg), ask) == 1 then call('RPUSH', KEYS[at + 1], memberOf(arg)) end
  call('PEXPIRE', KEYS[at + 1], QUEUE_TTL_MS)
  call('PEXPIRE', KEYS[at + 2], QUEUE_TTL_MS)
end

local function dequeue(at, process)
  if call('HDEL', KEYS[at + 2], process) == 1 then call('LREM', KEYS[at + 1], '1', process) end
end

-- After a withdraw: leaves if asked to. A withdrawn id is never granted again, so a process that stays has to ask.
local function dequeueWithdrawn(at, arg)
  local process = memberOf(arg)
  if ARGV[arg + 2] == '1' then return dequeue(at, process) end
  local seen, number = string.match(call('HGET', KEYS[at + 2], process) or '', '^(%d+) (%d+)')
  if number and process .. ':' .. number == ARGV[arg] then call('HSET', KEYS[at + 2], process, seen) end
end

local hasLostHead = false

-- The head, its ask, and the rest of its life, ms. Removes dead heads. `asking` is alive, since it asks now.
local function liveHead(at, asking)
  local head = call('LINDEX', KEYS[at + 1], '0')
  while head and head ~= asking do
    local ask = call('HGET', KEYS[at + 2], head)
    local rest = ask and string.match(ask, '^%d+') + HEAD_LIFE_MS - now
    if rest and rest >= 0 then return head, ask, rest end
    hasLostHead = true
    call('LPOP', KEYS[at + 1])
    call('HDEL', KEYS[at + 2], head)
    head = call('LINDEX', KEYS[at + 1], '0')
  end
  return head, nil, HEAD_LIFE_MS
end
