--[[ claim: grants free locks, in turn between processes. Every item has its own answer.
KEYS   1 token counter; per item: lock hash, queue list, asks hash [, token counter of its own]; last, with a guard
       only: guard
ARGV   per item: claim id `<process>:<n>`, lease, ms, before, server ms, tokens wanted, 1 = join the queue,
       2 = and take a grant without asking again; with a guard only: run id, longest lease, ms, 1 = trust a missing guard;
       last: 1 = tell the time
Reply  now, ms, or 0 where the time was not needed; per item: first token (0: none wanted) | -1 stale |
       {retry, ms, [holder id]} | error text. The retry of a held lock is its ttl, ms: -1 when it has none.
       For one item and no time the answer itself, which is cheaper to write and to read.
Error  QUARANTINED <ms left>: grants may have been lost, so nothing is granted yet ]]
--@take clock from clock-if-asked
local keysOfItem = 3
--@include claim-body
