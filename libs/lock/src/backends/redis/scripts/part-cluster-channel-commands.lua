--[[ The commands for channels, on a cluster: those of Redisson there, too. Such a channel belongs to the slot of its hash tag,
and a message stays with the servers of that slot; one that is published otherwise goes to every server of the cluster. ]]
--@sets PUBLISH, NUMSUB
local PUBLISH, NUMSUB = 'SPUBLISH', 'SHARDNUMSUB'
