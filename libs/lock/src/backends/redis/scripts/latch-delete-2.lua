--[[ latch-delete: end the counting of a latch: everybody passes.
KEYS   1 count string  2 stored answer
ARGV   1 not after, server ms 2 life of the stored answer, ms 3 channel
Reply  now, ms; what was left to count. Stale: now alone ]]
--@include deduplicate
--@include count
if not text then return { now, 0 } end
call('DEL', KEYS[1])
--@include channel-commands
call(PUBLISH, ARGV[3], '0')
return storeAnswer(count)
