--[[ What every change begins with. A repetition is answered with what the first execution did, and the number there
is now; a request that comes after its time is answered with nothing. The last key is the stored answer of the operation.
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
