--[[ The queue of callers, in the format of Redisson's RFairLock: a list of claim ids in order of arrival, and a zset of the
times, epoch ms, until which Redisson waits for them. Bedrock adds a hash by claim id: `<last sign, server ms>`, followed by
` <lease, ms> <tokens>` if the claim may be granted without another request. A head of Bedrock lives 1 s after its last
sign, a head of Redisson until its time. `at` is the position of the item's keys (lock, queue, times, asks), `arg` that of
its arguments. ]]
--@needs call, now
--@sets memberOf, enqueue, dequeue, dequeueWithdrawn, hasLostHead, liveHead
local HEAD_LIFE_MS = QUEUE_TIMING.headLifeMs
-- The wait that Redisson allows each waiter, ms: the times of later waiters are that much later.
local WAIT_MS = QUEUE_TIMING.redissonWaitMs
-- The keys of dead waiters expire after this time. Not sooner: without its ask, a dead waiter of Bedrock would count as one
-- of Redisson.
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

-- Removes a waiter from any place. The times of the waiters behind it become earlier by the unused rest of its wait, at most
-- by one wait. A wait that is over has no rest to take back.
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

-- After a withdraw: its id is never granted again, so it leaves the queue.
local function dequeueWithdrawn(at, arg)
  dequeue(at, ARGV[arg])
end

local hasLostHead = false

-- The head, its ask, and the rest of its life, ms. Removes dead heads. `asking` is alive, since it asks now.
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
    -- The list has it, but the zset does not: no client writes such a queue.
    if call('LINDEX', KEYS[at + 1], '0') == head then call('LPOP', KEYS[at + 1]) end
    head = call('LINDEX', KEYS[at + 1], '0')
  end
  return head, nil, HEAD_LIFE_MS
end
