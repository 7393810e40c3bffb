--[[ latch-delete: ends the count of a latch, so that all waiters pass.
KEYS   1 count string  2 stored answer
ARGV   1 not after, server ms 2 life of the stored answer, ms 3 channel
Reply  now, ms; the count that was left. Stale: now alone ]]
--@include deduplicate
--@include count
if not text then return { now, 0 } end
call('DEL', KEYS[1])
--@include channel-commands
call(PUBLISH, ARGV[3], '0')
return storeAnswer(count)
