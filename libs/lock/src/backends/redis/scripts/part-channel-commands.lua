--[[ The commands for channels. ]]
local PUBLISH, NUMSUB = 'PUBLISH', 'NUMSUB'
