--[[ claim of a semaphore: as claim-n, for permits.
KEYS   1 token counter, which no permit needs; per item: units hash, queue list, asks hash, ends zset; last, with a guard
       only: guard
ARGV   per item: claim id `<process>:<n>`, lease, ms, before, server ms, `<permits wanted> <permits of the semaphore>`,
       1 = join the queue, 2 = and take a grant without asking again; last: as claim-n
Reply  now, ms; per item: 0 granted | -1 stale | {retry, ms, [claim id]} | error text
       The retry is the time until the next lease ends, that of the named claim, or until the head of the queue dies.
Error  as claim-n ]]
local keysOfItem = 4
--@include claim-args
--@include protected-call
--@include queue
--@include lease-semaphore

local function claim(at, arg)
  local id, lease = ARGV[arg], ARGV[arg + 1]
  local units, capacity = string.match(ARGV[arg + 3], '^(%d+) (%d+)$')
  local hasReclaimed = reclaim(at) > 0
  local own = call('HGET', KEYS[at], id)
  -- A repeat after a lost reply is granted again; a revoked grant is not.
  if own == units then
    extend(at, id, lease)
    return 0
  end
  local process = memberOf(arg)
  local head, _, rest = liveHead(at, process)
  local isGranted = (not head or head == process) and not own and fits(at, units, capacity)
  if isGranted then
    if head then dequeue(at, process) end
    grant(at, id, units, lease)
  elseif ARGV[arg + 4] ~= '0' then
    enqueue(at, arg)
  end
  -- Permits of ended leases and those kept for dead waiters go to the queue, and so do permits that the head left over.
  if hasReclaimed or hasLostHead or (head and isGranted) then
    --@include lease-semaphore-serve
    serveQueue(at)
  end
  if isGranted then return 0 end
  local first = call('ZRANGE', KEYS[at + 3], '0', '0', 'WITHSCORES')
  return first[1] and { first[2] - now, first[1] } or { rest + 1 }
end

local reply = { now }
for item = 0, items - 1 do
  local at, arg = 2 + item * keysPerItem, 1 + item * 5
  reply[item + 2] = now >= ARGV[arg + 2] + 0 and -1 or protectedCall(claim, at, arg)
end
return reply
