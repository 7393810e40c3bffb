--[[ inspect of a read-write lock: its readers or its writer.
KEYS   1 lock hash
Reply  for each: claim id, of a writer with `:write`; depth; rest of its life, ms (-1: without an end); 1 = revoked ]]
local call = redis.call
local lock = KEYS[1]
--@include rw-hold
--@include rw-holders
local reply = {}
for _, holder in ipairs(holdersOf(lock)) do
  local mark = call('GET', holdKey(lock, holder.name)) == 'revoked' and 1 or 0
  for _, fact in ipairs({ holder.name, holder.depth, holder.rest, mark }) do table.insert(reply, fact) end
end
return reply
