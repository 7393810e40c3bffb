--[[ The commands for channels. ]]
--@sets PUBLISH, NUMSUB
local PUBLISH, NUMSUB = 'PUBLISH', 'NUMSUB'
