--[[ counting-semaphore-drain: takes all free permits.
KEYS   1 permits string  2 stored answer
ARGV   1 not after, server ms 2 life of the stored answer, ms
Reply  now, ms; permits taken. Stale: now alone ]]
--@include deduplicate
--@include count
if count == 0 then return { now, 0 } end
call('DECRBY', KEYS[1], text)
return storeAnswer(count)
