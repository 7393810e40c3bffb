--[[ revoke: ends a grant against its holder's will, and makes the holder's process verify it.
'atExpiry' refuses renewals from now on, by a field that dies with the hash and that Redisson ignores.
KEYS   1 lock hash  2 queue list  3 asks hash
ARGV   1 'now' | 'atExpiry'  2 claim id of the only holder that is meant, left out for all
Reply  1 revoked | 0 not held ]]
--@include revoke-body
