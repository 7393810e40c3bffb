--[[ counting-semaphore-take: permits for callers in their order, all or none for each, up to the first that must wait.
KEYS   1 permits string  2 stored answer: callers served
ARGV   1 not after, server ms 2 life of the stored answer, ms; per caller: permits
Reply  now, ms; callers served; free permits, unless it was answered before. Stale: now alone ]]
--@include deduplicate
--@include count
local served, taken = 0, 0
for at = 3, #ARGV do
  if taken + ARGV[at] > count then break end
  taken, served = taken + ARGV[at], served + 1
end
if served == 0 then return { now, 0, count } end
local reply = storeAnswer(served)
reply[3] = call('DECRBY', KEYS[1], string.format('%.0f', taken))
return reply
