--[[ claim of a fair mutex: as claim-n, but each caller joins the queue for itself, in the format of Redisson's RFairLock.
KEYS   1 token counter; per item: lock hash, queue list, times zset, asks hash [, token counter of its own]; last, with a
       guard only: guard
ARGV, Reply, Error  as claim-n ]]
--@take queue from fair-queue
--@take wake from fair-wake
--@take clock from clock-if-asked
local keysOfItem = 4
--@include claim-body
