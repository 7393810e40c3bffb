--[[ find: what a name holds, and how long its queues are.
KEYS   1 lock hash  2 order list  3 Redisson's queue of a fair mutex  4 units hash  5 order list of the units
Reply  type of the lock, its mode or '', length of 2, length of 3, 1 = units exist, length of 5 ]]
local call = redis.call
local kind = call('TYPE', KEYS[1]).ok
local mode = kind == 'hash' and call('HGET', KEYS[1], 'mode') or ''
return {
  kind, mode, call('LLEN', KEYS[2]), call('LLEN', KEYS[3]), call('EXISTS', KEYS[4]), call('LLEN', KEYS[5]),
}
