--[[ The body of a withdraw: `keysOfItem` keys per item, first the lock hash, then its queue. After most releases neither
marks in the hash nor a queue remain. A function definition costs as much as a command, so functions are defined only on the
path that calls them. ]]
--@needs keysOfItem
local call, KEYS, ARGV = redis.call, KEYS, ARGV
local items = #ARGV / 3
local keysPerItem = (#KEYS - 1) / items
local reply
for item = 0, items - 1 do
  local at, arg = 2 + item * keysPerItem, 1 + item * 3
  local lock, isFreed, ended = KEYS[at], false, nil
  if ARGV[arg + 1] == '0' then
    ended = redis.pcall('HDEL', lock, ARGV[arg])
    isFreed = ended == 1
    if not isFreed and ended ~= 0 then ended = ended.err end
  else
    --@include protected-call
    --@include shorten
    ended = protectedCall(shorten, at, arg)
  end
  if ended == 0 or ended == 1 then
    if call('EXISTS', lock, KEYS[at + 1]) > 0 then
      --@include protected-call
      --@include wake
      --@include after-withdraw
      ended = protectedCall(afterWithdraw, at, arg, isFreed) or ended
    elseif isFreed then
      --@include wake-all
    end
  end
  if items == 1 then return ended end
  reply = reply or {}
  reply[item + 1] = ended
end
return reply
