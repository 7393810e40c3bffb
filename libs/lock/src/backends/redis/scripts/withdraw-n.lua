--[[ withdraw: end own grants, leave the line, wake the next. Foreign grants are never touched.
KEYS   per item: lock hash, line list, signs zset
ARGV   per item: claim id `<process>:<n>`, hold at least this long, ms (0: free at once), 1 = leave the line
Reply  per item: 1 released | 0 there was none of this id | error text; for one item the answer itself, which is
       cheaper to read
After most releases nothing is left, neither marks in the hash nor a line. To define a function costs as much as to ask
Redis something, so what only the others need is defined where they need it. ]]
local call = redis.call
--@include wake

local reply = {}
for at = 1, #KEYS, 3 do
  local lock, isKept = KEYS[at], ARGV[at + 1] ~= '0'
  local ended
  if isKept then
    --@include item
    --@include keep
    ended = answerOf(keep, at)
  else
    ended = redis.pcall('HDEL', lock, ARGV[at])
    if type(ended) == 'table' then ended = ended.err end
  end
  if type(ended) == 'number' then
    local isFreed = ended == 1 and not isKept
    if call('EXISTS', lock, KEYS[at + 1]) > 0 then
      --@include item
      --@include settle
      ended = answerOf(settle, at, isFreed) or ended
    elseif isFreed then
      wake(lock)
    end
  end
  reply[#reply + 1] = ended
end
return #reply == 1 and reply[1] or reply
