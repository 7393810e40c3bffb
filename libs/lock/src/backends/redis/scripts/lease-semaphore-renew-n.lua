--[[ renew of a semaphore: as renew-n, for permits.
KEYS   per item: units hash, queue list, asks hash, ends zset
ARGV, Reply  as renew-n ]]
local call = redis.call
--@include clock
--@include protected-call
--@include lease-semaphore

local function renew(at, arg)
  local id = ARGV[arg]
  local till, units = call('ZSCORE', KEYS[at + 3], id), call('HGET', KEYS[at], id)
  if not till or not units or tonumber(till) <= now then return 0 end
  if string.find(units, 'revoked', 1, true) then return 2 end
  extend(at, id, ARGV[arg + 1])
  return 1
end

local reply = {}
for item = 0, #ARGV / 2 - 1 do
  reply[item + 1] = protectedCall(renew, 1 + item * 4, 1 + item * 2)
end
return reply
