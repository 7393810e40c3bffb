--[[ withdraw: ends grants of the caller, leaves the queue, and grants to the next waiter or wakes waiters. Never touches other
grants.
KEYS   1 token counter; per item: lock hash, queue list, asks hash [, token counter of its own]
ARGV   per item: claim id `<process>:<n>`, hold at least this long, ms (0: free at once), 1 = leave the queue
Reply  per item: 1 released | 0 there was none of this id | error text; for one item the answer itself, which is
       cheaper to read ]]
local keysOfItem = 3
--@include withdraw-body
