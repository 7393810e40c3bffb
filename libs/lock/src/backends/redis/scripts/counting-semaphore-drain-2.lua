--[[ counting-semaphore-drain: take all permits that are free.
KEYS   1 permits string  2 stored answer
ARGV   1 not after, server ms 2 life of the stored answer, ms
Reply  now, ms; permits that were free. Stale: now alone ]]
--@include deduplicate
--@include count
if count == 0 then return { now, 0 } end
call('DECRBY', KEYS[1], text)
return storeAnswer(count)
