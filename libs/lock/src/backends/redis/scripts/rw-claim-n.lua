--[[ claim of a read-write lock: as claim-n, in the format of Redisson's RReadWriteLock.
KEYS   as claim-n
ARGV   as claim-n, but the claim id of a writer ends in `:write`
Reply, Error  as claim-n ]]
--@take write-grant from rw-write-grant
--@take refusal from rw-refusal
--@take wake from rw-wake
local keysOfItem = 3
--@include rw-hold
--@include claim-body
