--[[ The queue of callers, in the format of Redisson's RFairLock: a list of claim ids in order of arrival, a zset of the times,
epoch ms, until which Redisson waits for them; and, of Bedrock alone, a hash by claim id: `<last sign, server ms>` and, from
who may be granted without asking again, ` <lease, ms> <tokens>`. A head of Bedrock lives 1 s without a sign, one of
Redisson until its time. `at` is the position of the item's keys (lock, queue, times, asks), `arg` that of its arguments. ]]
--@needs call, now
--@sets memberOf, enqueue, dequeue, dequeueWithdrawn, hasLostHead, liveHead
local HEAD_LIFE_MS = QUEUE_TIMING.headLifeMs
-- What Redisson gives each waiter, ms: the times of all who come later are that much later.
local WAIT_MS = QUEUE_TIMING.redissonWaitMs
-- What is left behind by waiters that died leaves by itself. Not sooner: without its ask, a dead waiter of Bedrock would
-- count as one of Redisson.
local QUEUE_TTL_MS = tostring(QUEUE_TIMING.fairQueueLifeMs)

local function memberOf(arg)
  return ARGV[arg]
end

local function enqueue(at, arg)
  local id, queue, times = ARGV[arg], KEYS[at + 1], KEYS[at + 2]
  local ask = string.format('%.0f', now)
  if ARGV[arg + 4] == '2' then ask = ask .. ' ' .. ARGV[arg + 1] .. ' ' .. ARGV[arg + 3] end
  call('HSET', KEYS[at + 3], id, ask)
  call('PEXPIRE', KEYS[at + 3], QUEUE_TTL_MS)
  if call('ZSCORE', times, id) then return end
  local last = call('LINDEX', queue, '-1')
  local before = last and call('ZSCORE', times, last) or now + math.max(call('PTTL', KEYS[at]), 0)
  call('ZADD', times, string.format('%.0f', math.max(before, now) + WAIT_MS), id)
  call('RPUSH', queue, id)
  call('PEXPIRE', times, QUEUE_TTL_MS)
  call('PEXPIRE', queue, QUEUE_TTL_MS)
end

-- Takes somebody out, wherever they stand; whoever stands behind is waited for that much shorter, but never shorter than what
-- it was given itself: when Redisson's own wait of a place is over, nothing of it is left to take back.
local function dequeue(at, id)
  local queue, times = KEYS[at + 1], KEYS[at + 2]
  call('HDEL', KEYS[at + 3], id)
  local time = call('ZSCORE', times, id)
  if not time then return end
  call('ZREM', times, id)
  call('LREM', queue, '1', id)
  local unused = math.min(time - now, WAIT_MS)
  if unused <= 0 then return end
  for _, later in ipairs(call('ZRANGEBYSCORE', times, '(' .. time, '+inf')) do
    call('ZINCRBY', times, string.format('%.0f', -unused), later)
  end
end

-- After a withdraw: its id is never granted again, so it has nothing to wait for.
local function dequeueWithdrawn(at, arg)
  dequeue(at, ARGV[arg])
end

local hasLostHead = false

-- The head, what it asks for, and what is left of its life, ms; the dead before it leave. `asking` is alive: it is asking.
local function liveHead(at, asking)
  local head = call('LINDEX', KEYS[at + 1], '0')
  while head and head ~= asking do
    local ask = call('HGET', KEYS[at + 3], head)
    local rest
    if ask then
      rest = string.match(ask, '^%d+') + HEAD_LIFE_MS - now
    else
      rest = (call('ZSCORE', KEYS[at + 2], head) or 0) - now
    end
    if rest >= 0 then return head, ask, rest end
    hasLostHead = true
    dequeue(at, head)
    -- A queue without its time, which nobody writes.
    if call('LINDEX', KEYS[at + 1], '0') == head then call('LPOP', KEYS[at + 1]) end
    head = call('LINDEX', KEYS[at + 1], '0')
  end
  return head, nil, HEAD_LIFE_MS
end
