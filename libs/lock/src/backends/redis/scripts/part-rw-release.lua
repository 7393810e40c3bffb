--[[ How holders of a read-write lock leave. With `keepMs`, ms, they stay, but no longer than that. ]]
--@needs call, holdKey
--@sets releaseReader, releaseWriter
-- Before Redis 7.2 every command of a script reads a clock of its own, ms, and more when the server has to wait in between.
local SLACK_MS = 5

-- Lets the hash live as long as the reader that lives longest, or end with the last. True when it has ended.
local function expireWithReaders(lock)
  local ttl, longest, longestHold, cursor = call('PTTL', lock), 0, nil, '0'
  repeat
    local page = call('HSCAN', lock, cursor)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      -- A reader of Redisson has a string for each of its holds; the fields of Bedrock count more, and have the first alone.
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
    -- The hash must not outlive it by the time that passed since it was asked.
    call('PEXPIRE', longestHold, longest)
    return false
  end
  call('DEL', lock)
  return true
end

-- Whether the reader was still alive, 1 or 0, and whether the lock is free now.
local function releaseReader(lock, id, keepMs)
  local hold = holdKey(lock, id)
  local rest, ttl = call('PTTL', hold), call('PTTL', lock)
  if keepMs == '0' then
    call('HDEL', lock, id)
    call('DEL', hold)
    -- Nothing but the mode: that was the last, however long the hash was to live.
    if call('HLEN', lock) == 1 then
      call('DEL', lock)
      return rest >= 0 and 1 or 0, true
    end
  elseif rest > tonumber(keepMs) then
    call('PEXPIRE', hold, keepMs)
  end
  -- Only the reader that lives longest, or one that is dead already, tells nothing about the others.
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
