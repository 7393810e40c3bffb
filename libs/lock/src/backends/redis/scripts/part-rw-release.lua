--[[ How holders of a read-write lock leave. With a `keepMs`, ms, other than 0 they stay, but no longer than that. ]]
--@needs call, holdKey
--@sets releaseReader, releaseWriter
-- Before Redis 7.2 every command of a script reads the clock anew. Two readings differ by more when the server has to wait.
local SLACK_MS = 5

-- Lets the hash live as long as its longest reader, and deletes it with the last. True when it was deleted.
local function expireWithReaders(lock)
  local ttl, longest, longestHold, cursor = call('PTTL', lock), 0, nil, '0'
  repeat
    local page = call('HSCAN', lock, cursor)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      -- A reader of Redisson has a string for each of its holds. The field of a Bedrock reader counts all holds, but only the
      -- first has a string.
      for depth = tonumber(page[2][i + 1]) or 0, 1, -1 do
        local hold = holdKey(lock, page[2][i], depth)
        local rest = call('PTTL', hold)
        if rest > longest then longest, longestHold = rest, hold end
      end
      if longest >= ttl - SLACK_MS then return false end
    end
  until cursor == '0'
  if longest > 0 then
    call('PEXPIRE', lock, longest)
    -- The hash must not live longer than that string by the time since its PTTL.
    call('PEXPIRE', longestHold, longest)
    return false
  end
  call('DEL', lock)
  return true
end

-- 1 when the reader was still alive, else 0; and whether the lock is free now.
local function releaseReader(lock, id, keepMs)
  local hold = holdKey(lock, id)
  local rest, ttl = call('PTTL', hold), call('PTTL', lock)
  if keepMs == '0' then
    call('HDEL', lock, id)
    call('DEL', hold)
    -- The mode alone is left: that was the last reader, whatever the life of the hash.
    if call('HLEN', lock) == 1 then
      call('DEL', lock)
      return rest >= 0 and 1 or 0, true
    end
  elseif rest > tonumber(keepMs) then
    call('PEXPIRE', hold, keepMs)
  end
  -- A live reader that ends before the hash proves that another one lives longer.
  local isFreed = (rest >= ttl - SLACK_MS or rest < 0) and expireWithReaders(lock)
  return rest >= 0 and 1 or 0, isFreed
end

local function releaseWriter(lock, id, keepMs)
  if keepMs == '0' then
    call('DEL', lock, holdKey(lock, id))
  elseif call('PTTL', lock) > tonumber(keepMs) then
    call('PEXPIRE', lock, keepMs)
  end
  return 1, keepMs == '0'
end
