--[[ claim: grant what is free, in turn between processes; every item is answered for itself.
KEYS   1 token counter; per item: lock hash, line list, signs zset [, token counter of its own]; last, with a guard
       only: guard
ARGV   per item: claim id `<process>:<n>`, lease, ms, not after, server ms, tokens wanted, 1 = stand in line; last,
       with a guard only: run id, longest lease, ms, 1 = trust a missing guard
Reply  now, ms; per item: first token (0: none wanted) | -1 stale | {retry, ms, [holder id]} | error text
       The retry of a held lock is its ttl, ms: -1 when it has none.
Error  QUARANTINED <ms left>: grants may have been lost, so nothing is granted yet
Most claims find the lock free. To define a function costs as much as to ask Redis something, so what only the others
need is defined where they need it. ]]
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local isGuarded = #ARGV % 5 == 3
local items = (#ARGV - (isGuarded and 3 or 0)) / 5
local keysPerItem = (#KEYS - (isGuarded and 2 or 1)) / items
--@include token

if isGuarded then
  --@include guard
  local rest = quarantineMs(KEYS[#KEYS], ARGV[#ARGV - 2], ARGV[#ARGV - 1], ARGV[#ARGV] == '1', now)
  if rest > 0 then return redis.error_reply(string.format('QUARANTINED %.0f', rest)) end
end

local reply = { now }
for item = 0, items - 1 do
  local key, arg, answer = 2 + item * keysPerItem, 1 + item * 5, nil
  if now > tonumber(ARGV[arg + 2]) then
    answer = -1
  elseif call('EXISTS', KEYS[key], KEYS[key + 1]) > 0 then
    --@include item
    --@include taken
    answer = answerOf(askTaken, key, arg)
  end
  if answer == nil then
    answer = takeTokens(key, arg + 3)
    if type(answer) == 'number' then
      call('HSET', KEYS[key], ARGV[arg], '1')
      call('PEXPIRE', KEYS[key], ARGV[arg + 1])
    end
  end
  reply[item + 2] = answer
end
return reply
