--[[ holdersOf(lock): the live readers or the writer, each with its name in the hash, its depth and the rest of its life,
ms. The hash keeps a dead reader until the others have left. ]]
--@needs call, lock, isWriter, holdKey
--@sets holdersOf
if call('EXISTS', lock) == 1 and call('HEXISTS', lock, 'mode') == 0 then
  return redis.error_reply('WRONGTYPE a mutex or another hash')
end
local function holdersOf(lock)
  local entries, holders = call('HGETALL', lock), {}
  for i = 1, #entries, 2 do
    local name = entries[i]
    local rest = name == 'mode' and -2 or call('PTTL', isWriter(name) and lock or holdKey(lock, name))
    if rest ~= -2 then table.insert(holders, { name = name, depth = entries[i + 1], rest = rest }) end
  end
  return holders
end
