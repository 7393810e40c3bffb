--[[ raise token: makes the fencing tokens of a lock that is still held continue after `token`.
KEYS   1 lock hash  2 token counter
ARGV   1 claim id  2 token
Reply  1 raised, or there already | 0 lost ]]
local call = redis.call
if call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
local last = tonumber(call('GET', KEYS[2]) or '')
-- Lua counts exactly up to 2^53: a larger number cannot be a token.
local isBehind = not last or last < tonumber(ARGV[2]) or last >= 9007199254740992
if isBehind then call('SET', KEYS[2], ARGV[2]) end
return 1
