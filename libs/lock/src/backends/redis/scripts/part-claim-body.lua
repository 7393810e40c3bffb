--[[ The body of a claim: `keysOfItem` keys per item, first the lock hash, then its queue. Most claims find the lock free. A
function definition costs as much as a command, so functions are defined only on the path that calls them. The time costs as
much as two commands, so it is read only on the path that needs it. ]]
--@needs keysOfItem
--@include claim-args

local reply, takeTokens
for item = 0, items - 1 do
  local key, arg, answer = 2 + item * keysPerItem, 1 + item * 5, nil
  local lock, holder, lease = KEYS[key], ARGV[arg], ARGV[arg + 1]
  local isContended, wantsTokens = call('EXISTS', lock, KEYS[key + 1]) > 0, ARGV[arg + 3] ~= '0'
  if now or isContended or wantsTokens then
    if not now then
      --@include read-clock
    end
    if wantsTokens and not takeTokens then
      --@include take-tokens
    end
    if now >= ARGV[arg + 2] + 0 then
      answer = -1
    elseif isContended then
      --@include protected-call
      --@include refusal
      answer = protectedCall(refusalOf, key, arg)
    end
    if answer == nil then
      answer = takeTokens and takeTokens(key, arg + 3) or 0
      if type(answer) == 'number' then
        --@include write-grant
      end
    end
  else
    answer = 0
    -- The server itself shows whether the claim came in time: it deletes at once a key that ends in the past.
    call('HSET', lock, holder, '1')
    call('PEXPIREAT', lock, ARGV[arg + 2])
    if call('PEXPIRE', lock, lease) == 0 then
      --@include read-clock
      answer = -1
    end
  end
  if items == 1 and not now then return answer end
  reply = reply or { 0, answer }
  reply[item + 2] = answer
end
reply = reply or {}
reply[1] = now or 0
return reply
