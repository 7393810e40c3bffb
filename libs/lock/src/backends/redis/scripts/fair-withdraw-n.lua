--[[ withdraw of a fair mutex: as withdraw-n; a claim that is withdrawn leaves the queue as well.
KEYS   1 token counter; per item: lock hash, queue list, times zset, asks hash [, token counter of its own]
ARGV, Reply  as withdraw-n ]]
--@take queue from fair-queue
--@take wake from fair-wake
--@take wake-all from wake-none
--@take serve-next from fair-serve-next
local keysOfItem = 4
--@include withdraw-body
