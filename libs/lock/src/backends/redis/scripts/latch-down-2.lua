--[[ latch-down: counts a latch down. At zero it is deleted, and all waiters pass.
KEYS   1 count string  2 stored answer
ARGV   1 not after, server ms 2 life of the stored answer, ms 3 how much 4 channel
Reply  now, ms; the count that is left. Stale: now alone ]]
--@include deduplicate
--@include count
if not text then return { now, 0 } end
if count > tonumber(ARGV[3]) then return storeAnswer(call('DECRBY', KEYS[1], ARGV[3])) end
call('DEL', KEYS[1])
--@include channel-commands
if count > 0 then call(PUBLISH, ARGV[4], '0') end
return storeAnswer(0)
