--[[ refusalOf(at, arg): as in part-refusal, for a lock that is read, written or waited for. A reader does not pass the head
of the queue either, or writers would wait forever. ]]
--@needs call, now, time, keysPerItem, keysOfItem, isWriter, holdKey, takeTokens, idOf
--@sets refusalOf
--@include queue
--@include wake
--@include rw-serve-next

-- Postpones the end of a grant, never advances it.
local function extend(lock, holder, life)
  if call('PTTL', lock) < tonumber(life) then call('PEXPIRE', lock, life) end
  -- In the order of the grant.
  local hold = holdKey(lock, holder)
  if not isWriter(holder) and call('PTTL', hold) < tonumber(life) then call('PEXPIRE', hold, life) end
end

local function refusalOf(at, arg)
  local lock, holder, own = KEYS[at], ARGV[arg], memberOf(arg)
  local writes = isWriter(holder)
  local state = call('HMGET', lock, 'mode', holder)
  local mode, mark = state[1], state[2] and call('GET', holdKey(lock, holder))
  if not mode and call('EXISTS', lock) == 1 then return 'WRONGTYPE a mutex or another hash' end

  local function refuse(retry, by)
    if ARGV[arg + 4] ~= '0' then enqueue(at, arg) end
    return { retry, by }
  end

  -- A repeat after a lost reply is granted again, with tokens of its own; a revoked grant is not.
  if state[2] and mark ~= 'revoked' and (mark or writes) then
    extend(lock, holder, ARGV[arg + 1])
    return takeTokens and takeTokens(at, arg + 3) or 0
  end
  if mark ~= 'revoked' and fits(mode, writes) then
    local head, _, rest = liveHead(at, own)
    if head and head ~= own and hasLostHead then
      mode = serveNext(at, mode, nil, own)
      head, _, rest = liveHead(at, own)
    end
    if head and head ~= own then return refuse(rest + 1) end
    if fits(mode, writes) then
      if head then dequeue(at, own) end
      if not writes then serveNext(at, 'read') end
      return nil
    end
  end
  local fields = call('HSCAN', lock, '0')[2]
  local by = fields[1] == 'mode' and fields[3] or fields[1]
  return refuse(call('PTTL', lock), by and idOf(by))
end
