--[[ The commands for channels, on a single server. ]]
--@sets PUBLISH, NUMSUB
local PUBLISH, NUMSUB = 'PUBLISH', 'NUMSUB'
