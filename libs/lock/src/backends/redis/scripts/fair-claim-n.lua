--[[ claim of a fair mutex: as claim-n, but callers stand in line, each for itself, in the format of Redisson's RFairLock.
KEYS   1 token counter; per item: lock hash, queue list, times zset, asks hash [, token counter of its own]; last, with a
       guard only: guard
ARGV, Reply, Error  as claim-n ]]
--@take line from fair-line
--@take wake from fair-wake
--@take clock from clock-if-asked
local keysOfItem = 4
--@include claims
