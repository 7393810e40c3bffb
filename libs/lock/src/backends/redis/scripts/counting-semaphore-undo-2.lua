--[[ counting-semaphore-undo: gives back the permits that counting-semaphore-take took under this stored answer. Leaves a
mark: a take that comes later takes nothing.
KEYS   1 permits string  2 stored answer: callers served, 0 when it was undone
ARGV   1 not after, server ms 2 life of the mark, ms 3 channel; per caller: permits
Reply  now, ms; permits given back. Stale: now alone ]]
local call = redis.call
--@include clock
if now > tonumber(ARGV[1]) then return { now } end
--@include count
--@include publish-free
local served, taken = tonumber(call('GET', KEYS[2]) or 0), 0
for at = 4, 3 + served do taken = taken + ARGV[at] end
call('SET', KEYS[2], '0', 'PX', ARGV[2])
if taken > 0 then
  count = call('INCRBY', KEYS[1], string.format('%.0f', taken))
  publishFree(ARGV[3])
end
return { now, taken }
