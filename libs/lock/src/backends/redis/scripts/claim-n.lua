--[[ claim: grant what is free, in turn between processes; every item is answered for itself.
KEYS   1 token counter; per item: lock hash, line list, signs zset [, token counter of its own]; last, with a guard
       only: guard
ARGV   per item: claim id `<process>:<n>`, lease, ms, not after, server ms, tokens wanted, 1 = stand in line; last,
       with a guard only: run id, longest lease, ms, 1 = trust a missing guard
Reply  now, ms; per item: first token (0: none wanted) | -1 stale | {retry, ms, [holder id]} | error text
       The retry of a held lock is its ttl, ms: -1 when it has none.
Error  QUARANTINED <ms left>: grants may have been lost, so nothing is granted yet
Most claims find the lock free: what only the others need is defined where they need it. ]]
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local isGuarded = #ARGV % 5 == 3
local items = (#ARGV - (isGuarded and 3 or 0)) / 5
local keysPerItem = (#KEYS - (isGuarded and 2 or 1)) / items
local owns = keysPerItem == 4
--@include item
--@include token

if isGuarded then
  --@include guard
  local rest = quarantineMs(KEYS[#KEYS], ARGV[#ARGV - 2], ARGV[#ARGV - 1], ARGV[#ARGV] == '1', now)
  if rest > 0 then return redis.error_reply(string.format('QUARANTINED %.0f', rest)) end
end

-- What speaks against a grant, or nil.
local function askTaken(key, arg)
  --@include line
  local lock, line, signs = KEYS[key], KEYS[key + 1], KEYS[key + 2]
  local process = string.match(ARGV[arg], '^[^:]*')

  local function refuse(retry, holder)
    if ARGV[arg + 4] == '1' then enlist(line, signs, process, now) end
    return { retry, holder }
  end

  if call('HLEN', lock) == 0 then
    local head, rest = liveHead(line, signs, now, process)
    if head and head ~= process then return refuse(rest + 1) end
    if head then leave(line, signs, process) end
    return nil
  end
  local state = call('HMGET', lock, ARGV[arg], 'bedrock_revoked', 'mode')
  if state[3] then return 'WRONGTYPE a read-write lock' end
  local ttl = call('PTTL', lock)
  -- A repeat after a lost reply is granted again, with tokens of its own; a revoked grant is not.
  if state[1] and not state[2] then
    local token = takeTokens(key, arg + 3)
    if ttl < tonumber(ARGV[arg + 1]) then call('PEXPIRE', lock, ARGV[arg + 1]) end
    return token
  end
  local fields = call('HSCAN', lock, '0')[2]
  return refuse(ttl, fields[1] == 'bedrock_revoked' and fields[3] or fields[1])
end

local function grant(key, arg)
  local token = takeTokens(key, arg + 3)
  call('HSET', KEYS[key], ARGV[arg], '1')
  call('PEXPIRE', KEYS[key], ARGV[arg + 1])
  return token
end

local reply = { now }
for item = 0, items - 1 do
  local key, arg, answer = 2 + item * keysPerItem, 1 + item * 5, nil
  if now > tonumber(ARGV[arg + 2]) then
    answer = -1
  elseif call('EXISTS', KEYS[key], KEYS[key + 1]) > 0 then
    answer = answerOf(askTaken, key, arg)
  end
  if answer == nil then
    -- A shared counter that fails ends the whole call before anything is granted; one of the lock's own harms it alone.
    answer = owns and answerOf(grant, key, arg) or grant(key, arg)
  end
  reply[item + 2] = answer
end
return reply
