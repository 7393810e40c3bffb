--[[ counting-semaphore-add: more permits, or fewer by a negative number.
KEYS   1 permits string  2 stored answer
ARGV   1 not after, server ms 2 life of the stored answer, ms 3 permits 4 channel
Reply  now, ms; free permits. Stale: now alone ]]
--@include deduplicate
--@include count
--@include publish-free
count = call('INCRBY', KEYS[1], ARGV[3])
if tonumber(ARGV[3]) > 0 then publishFree(ARGV[4]) end
return storeAnswer(count)
