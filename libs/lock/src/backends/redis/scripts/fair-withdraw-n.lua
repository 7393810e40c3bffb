--[[ withdraw of a fair mutex: as withdraw-n; who withdraws a claim leaves the line with it.
KEYS   1 token counter; per item: lock hash, queue list, times zset, asks hash [, token counter of its own]
ARGV, Reply  as withdraw-n ]]
--@take line from fair-line
--@take wake from fair-wake
--@take wake-all from wake-none
--@take pass from fair-pass
local keysOfItem = 4
--@include withdraws
