--[[ The line of processes: a list in order of arrival, and a zset of their last signs, server ms. Only the head is
woken or granted, so that processes take turns; a head lives 1 s without a sign. ]]
local HEAD_LIFE_MS = 1000
-- What a line outlives its last sign: a line that nobody asks for leaves by itself.
local LINE_TTL_MS = '10000'

local function enlist(line, signs, process, now)
  if call('ZADD', signs, now, process) == 1 then call('RPUSH', line, process) end
  call('PEXPIRE', line, LINE_TTL_MS)
  call('PEXPIRE', signs, LINE_TTL_MS)
end

local function leave(line, signs, process)
  if call('ZREM', signs, process) == 1 then call('LREM', line, '1', process) end
end

-- The head and what is left of its life, ms; the dead before it leave. `asking` is alive: it is asking.
local function liveHead(line, signs, now, asking)
  local head = call('LINDEX', line, '0')
  while head and head ~= asking do
    local seen = call('ZSCORE', signs, head)
    local rest = seen and seen + HEAD_LIFE_MS - now
    if rest and rest >= 0 then return head, rest end
    call('LPOP', line)
    call('ZREM', signs, head)
    head = call('LINDEX', line, '0')
  end
  return head, HEAD_LIFE_MS
end
