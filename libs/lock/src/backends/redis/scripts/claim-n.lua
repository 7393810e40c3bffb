--[[ claim: grant what is free, in turn between processes; every item is answered for itself.
KEYS   1 token counter; per item: lock hash, line list, signs zset [, token counter of its own]; last, with a run id
       only: guard
ARGV   1 process id  2 run id or ''  3 longest lease, ms  4 1 = trust a missing guard
       per item: claim id, lease, ms, not after, server ms, tokens wanted, 1 = stand in line
Reply  now, ms; per item: first token (0: none wanted) | -1 stale | {retry, ms, [holder id]} | error text
       The retry of a held lock is its ttl, ms: -1 when it has none.
Error  QUARANTINED <ms left>: grants may have been lost, so nothing is granted yet ]]
local now, time = serverNow()
local process, runId = ARGV[1], ARGV[2]
local items = (#ARGV - 4) / 5
local keysPerItem = (#KEYS - (runId == '' and 1 or 2)) / items
local owns = keysPerItem == 4

if runId ~= '' then
  local rest = quarantineMs(KEYS[#KEYS], runId, ARGV[3], ARGV[4] == '1', now)
  if rest > 0 then return redis.error_reply(string.format('QUARANTINED %.0f', rest)) end
end

local function refuse(key, arg, retry, holder)
  if ARGV[arg + 4] == '1' then enlist(KEYS[key + 1], KEYS[key + 2], process, now) end
  return { retry, holder }
end

-- A repeat after a lost reply is granted again, with tokens of its own; a revoked grant is not.
local function askHeld(key, arg)
  local lock = KEYS[key]
  local state = call('HMGET', lock, ARGV[arg], 'bedrock_revoked', 'mode')
  if state[3] then return 'WRONGTYPE a read-write lock' end
  local ttl = call('PTTL', lock)
  if state[1] and not state[2] then
    local token = takeTokens(KEYS[1], owns and KEYS[key + 3], arg + 3, 5, time)
    if ttl < tonumber(ARGV[arg + 1]) then call('PEXPIRE', lock, ARGV[arg + 1]) end
    return token
  end
  local fields = call('HSCAN', lock, '0')[2]
  return refuse(key, arg, ttl, fields[1] == 'bedrock_revoked' and fields[3] or fields[1])
end

-- What speaks against a grant, or nil.
local function askTaken(key, arg)
  local line, signs = KEYS[key + 1], KEYS[key + 2]
  if call('HLEN', KEYS[key]) > 0 then return askHeld(key, arg) end
  local head, rest = liveHead(line, signs, now, process)
  if head and head ~= process then return refuse(key, arg, rest + 1) end
  if head then leave(line, signs, process) end
end

local function grant(key, arg)
  local token = takeTokens(KEYS[1], owns and KEYS[key + 3], arg + 3, 5, time)
  call('HSET', KEYS[key], ARGV[arg], '1')
  call('PEXPIRE', KEYS[key], ARGV[arg + 1])
  return token
end

local reply = { now }
for item = 0, items - 1 do
  local key, arg, answer = 2 + item * keysPerItem, 5 + item * 5, nil
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
