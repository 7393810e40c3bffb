--[[ renew: postpones the expiry of grants that are still held. Never shortens, never re-creates.
KEYS   per item: lock hash
ARGV   per item: claim id, life from now, ms
Reply  per item: 1 renewed | 2 revoked | 0 lost | error text ]]
local call = redis.call
--@include protected-call

local function renew(key, arg)
  local lock, life = KEYS[key], ARGV[arg + 1]
  local state = call('HMGET', lock, ARGV[arg], 'bedrock_revoked')
  if not state[1] then return 0 end
  if state[2] then return 2 end
  if call('PTTL', lock) < tonumber(life) then call('PEXPIRE', lock, life) end
  return 1
end

local reply = {}
for item = 1, #KEYS do
  reply[item] = protectedCall(renew, item, item * 2 - 1)
end
return reply
