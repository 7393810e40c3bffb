--[[ renew of a read-write lock: as renew-n. A writer that is renewed as a reader is a reader from now on, and waiting readers
are let in.
KEYS   per item: lock hash, queue list, asks hash
ARGV   per item: claim id, of a writer with `:write`, life from now, ms
Reply  as renew-n ]]
--@take write-grant from rw-write-grant
--@take wake from rw-wake
local call = redis.call
local keysOfItem, keysPerItem = 3, 3
--@include clock
--@include protected-call
--@include queue
--@include wake
--@include rw-hold
--@include rw-serve-next

-- Postpones the end of a grant, never advances it: as part-rw-refusal does for a repeated claim.
local function extend(lock, holder, life)
  if call('PTTL', lock) < tonumber(life) then call('PEXPIRE', lock, life) end
  -- In the order of the grant.
  local hold = holdKey(lock, holder)
  if not isWriter(holder) and call('PTTL', hold) < tonumber(life) then call('PEXPIRE', hold, life) end
end

local function downgrade(at, id, depth, mark)
  local lock = KEYS[at]
  call('HDEL', lock, id .. ':write')
  call('HSET', lock, 'mode', 'read', id, depth)
  call('SET', holdKey(lock, id), mark or '1', 'PX', math.max(call('PTTL', lock), 1))
  serveNext(at, 'read', '1')
end

local function renew(at, arg)
  local lock, holder, id = KEYS[at], ARGV[arg], idOf(ARGV[arg])
  local held, mark = call('HMGET', lock, id, id .. ':write'), call('GET', holdKey(lock, id))
  if held[2] and not isWriter(holder) then
    downgrade(at, id, held[2], mark)
  elseif not held[2] and not (held[1] and mark) then
    return 0
  end
  if mark == 'revoked' then return 2 end
  extend(lock, held[2] and holder or id, ARGV[arg + 1])
  return 1
end

local reply = {}
for item = 1, #KEYS / 3 do
  reply[item] = protectedCall(renew, item * 3 - 2, item * 2 - 1)
end
return reply
