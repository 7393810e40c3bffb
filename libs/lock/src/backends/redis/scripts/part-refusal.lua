--[[ refusalOf(at, arg): why a lock that is held or waited for cannot be granted, as the reply has it; nil when it can be
granted. Repeats the grant of a claim that holds the lock already. ]]
--@needs call, now, takeTokens
--@sets refusalOf
--@include queue
local function refusalOf(at, arg)
  local lock = KEYS[at]

  local function refuse(retry, holder)
    if ARGV[arg + 4] ~= '0' then enqueue(at, arg) end
    return { retry, holder }
  end

  if call('HLEN', lock) == 0 then
    local own = memberOf(arg)
    local head, ask, rest = liveHead(at, own)
    if head and head ~= own then
      -- A head of Redisson has no ask. It asks again only after a message: none is sent when a grant expires.
      if hasLostHead or not ask then
        --@include wake
        wake(lock, head, ask)
      end
      return refuse(rest + 1)
    end
    if head then dequeue(at, own) end
    return nil
  end
  local state = call('HMGET', lock, ARGV[arg], 'bedrock_revoked', 'mode')
  if state[3] then return 'WRONGTYPE a read-write lock' end
  local ttl = call('PTTL', lock)
  -- A repeat after a lost reply is granted again, with tokens of its own; a revoked grant is not.
  if state[1] and not state[2] then
    local token = takeTokens and takeTokens(at, arg + 3) or 0
    if ttl < tonumber(ARGV[arg + 1]) then call('PEXPIRE', lock, ARGV[arg + 1]) end
    return token
  end
  local fields = call('HSCAN', lock, '0')[2]
  return refuse(ttl, fields[1] == 'bedrock_revoked' and fields[3] or fields[1])
end
