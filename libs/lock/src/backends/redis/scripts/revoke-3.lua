--[[ revoke: end a grant against its holder's will, and tell the holder's process to look.
At expiry, renewals are refused from now on: a field that dies with the hash says so, and Redisson ignores it.
KEYS   1 lock hash  2 queue list  3 asks hash
ARGV   1 'now' | 'atExpiry'
Reply  1 revoked | 0 nobody held it ]]
--@include revoke-body
