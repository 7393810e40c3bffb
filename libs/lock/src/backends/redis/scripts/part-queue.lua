--[[ The queue of processes: a list in order of arrival, and a hash of what they ask for, by process:
`<last sign, server ms>` and, from who may be granted without asking again, ` <n of the claim id> <lease, ms> <tokens>`.
Only the head is woken or granted, so that processes take turns; a head lives 1 s without a sign.
`at` is the position of the item's keys (lock, queue, asks), `arg` that of its arguments, of which the first is the claim id. ]]
--@needs call, now
--@sets memberOf, enqueue, dequeue, dequeueWithdrawn, hasLostHead, liveHead
local HEAD_LIFE_MS = QUEUE_TIMING.headLifeMs
-- What a queue outlives its last sign: a queue that nobody asks for leaves by itself.
local QUEUE_TTL_MS = tostring(QUEUE_TIMING.queueLifeMs)

-- Who is in the queue for a claim.
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

-- After a withdraw: leaves if told to. An id that was withdrawn is never granted again: who stays has to ask.
local function dequeueWithdrawn(at, arg)
  local process = memberOf(arg)
  if ARGV[arg + 2] == '1' then return dequeue(at, process) end
  local seen, number = string.match(call('HGET', KEYS[at + 2], process) or '', '^(%d+) (%d+)')
  if number and process .. ':' .. number == ARGV[arg] then call('HSET', KEYS[at + 2], process, seen) end
end

local hasLostHead = false

-- The head, what it asks for, and what is left of its life, ms; the dead before it leave. `asking` is alive: it is asking.
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
