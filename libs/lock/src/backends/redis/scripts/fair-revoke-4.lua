--[[ revoke of a fair mutex: as revoke-3.
KEYS   1 lock hash  2 queue list  3 times zset  4 asks hash
ARGV, Reply  as revoke-3 ]]
--@take queue from fair-queue
--@take wake from fair-wake
--@include revoke-body
