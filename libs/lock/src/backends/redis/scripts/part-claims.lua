--[[ The body of a claim: `keysOfItem` keys per item, the first of them the lock hash and the second its line. Most claims
find the lock free. To define a function costs as much as to ask Redis something, so what only the others need is defined
where they need it. ]]
--@include asked

local reply, takeTokens = { now }, nil
for item = 0, items - 1 do
  local key, arg, answer = 2 + item * keysPerItem, 1 + item * 5, nil
  if ARGV[arg + 3] ~= '0' and not takeTokens then
    --@include tokens
  end
  if now > tonumber(ARGV[arg + 2]) then
    answer = -1
  elseif call('EXISTS', KEYS[key], KEYS[key + 1]) > 0 then
    --@include item
    --@include taken
    answer = answerOf(askTaken, key, arg)
  end
  if answer == nil then
    answer = takeTokens and takeTokens(key, arg + 3) or 0
    if type(answer) == 'number' then
      local lock, holder, lease = KEYS[key], ARGV[arg], ARGV[arg + 1]
      --@include enter
    end
  end
  reply[item + 2] = answer
end
return reply
