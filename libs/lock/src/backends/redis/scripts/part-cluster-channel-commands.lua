--[[ The commands for channels on a cluster, which Redisson uses there as well. A shard channel belongs to the slot of its
hash tag, and its messages stay on the servers of that slot. PUBLISH would reach every server of the cluster. ]]
--@sets PUBLISH, NUMSUB
local PUBLISH, NUMSUB = 'SPUBLISH', 'SHARDNUMSUB'
