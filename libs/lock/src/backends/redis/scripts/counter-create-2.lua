--[[ counter-create: the count of a latch, or the permits of a semaphore, unless there is one already.
KEYS   1 number string  2 stored answer
ARGV   1 not after, server ms 2 life of the stored answer, ms 3 number 4 channel 5 message
Reply  now, ms; 1 created | 0 there is one. Stale: now alone ]]
--@include deduplicate
--@include count
if text then return { now, 0 } end
call('SET', KEYS[1], ARGV[3])
--@include channel-commands
call(PUBLISH, ARGV[4], ARGV[5])
return storeAnswer(1)
