--[[ annotate: writes the depth of grants that are still held. Without the owner check a late call would create a lock
that no process releases and that never expires.
KEYS   per item: lock hash
ARGV   per item: claim id, depth
Reply  per item: 1 written | 0 lost | error text ]]
local call = redis.call
--@include protected-call

local function annotate(key, arg)
  if call('HEXISTS', KEYS[key], ARGV[arg]) == 0 then return 0 end
  call('HSET', KEYS[key], ARGV[arg], ARGV[arg + 1])
  return 1
end

local reply = {}
for item = 1, #KEYS do
  reply[item] = protectedCall(annotate, item, item * 2 - 1)
end
return reply
