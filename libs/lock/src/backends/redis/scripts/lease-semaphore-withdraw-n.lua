--[[ withdraw of a semaphore: as withdraw-n, for permits; free permits go to the queue.
KEYS   1 token counter, which no permit needs; per item: units hash, queue list, asks hash, ends zset
ARGV   as withdraw-n
Reply  per item: 1 released | 0 there was none of this id, or it has ended | error text; for one item the answer itself ]]
local call = redis.call
--@include clock
--@include protected-call
--@include queue
--@include lease-semaphore

-- Lowers the rest of a lease to `ms`.
local function shorten(at, id, ms)
  local till = call('ZSCORE', KEYS[at + 3], id)
  if not till then return 0 end
  if tonumber(till) > now + ms then
    setLeaseEnd(at, id, ms)
    expireWithLastLease(at)
  end
  return 1
end

local function withdraw(at, arg)
  reclaim(at)
  local ended
  if ARGV[arg + 1] == '0' then
    ended = release(at, ARGV[arg])
    -- The keys expire with the last of the other leases now.
    if ended == 1 then expireWithLastLease(at) end
  else
    ended = shorten(at, ARGV[arg], ARGV[arg + 1])
  end
  if call('EXISTS', KEYS[at + 1]) == 1 then
    dequeueWithdrawn(at, arg)
    --@include lease-semaphore-serve
    serveQueue(at)
  end
  return ended
end

local reply = {}
for item = 0, #ARGV / 3 - 1 do
  reply[item + 1] = protectedCall(withdraw, 2 + item * 4, 1 + item * 3)
end
return #reply == 1 and reply[1] or reply
