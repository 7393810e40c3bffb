--[[ The start of every change. A repeated request gets the answer of its first execution and the current number. A request
past its time gets no answer but the server's time. The last key is the stored answer of the operation.
ARGV 1 not after, server ms 2 life of the stored answer, ms ]]
--@sets call, now, storeAnswer
local call = redis.call
--@include clock
local storedAnswer = call('GET', KEYS[#KEYS])
if storedAnswer then return { now, storedAnswer, call('GET', KEYS[1]) } end
if now > tonumber(ARGV[1]) then return { now } end

local function storeAnswer(answer)
  call('SET', KEYS[#KEYS], string.format('%.0f', answer), 'PX', ARGV[2])
  return { now, answer }
end
