--[[ annotate of a read-write lock: as annotate-n; the claim ids are without `:write`, whatever they hold.
KEYS, ARGV, Reply  as annotate-n ]]
local call = redis.call
--@include protected-call

local function annotate(key, arg)
  local lock, id = KEYS[key], ARGV[arg]
  for _, field in ipairs({ id, id .. ':write' }) do
    if call('HEXISTS', lock, field) == 1 then
      call('HSET', lock, field, ARGV[arg + 1])
      return 1
    end
  end
  return 0
end

local reply = {}
for item = 1, #KEYS do
  reply[item] = protectedCall(annotate, item, item * 2 - 1)
end
return reply
