--[[ withdraw: end own grants, leave the line, wake the next. Foreign grants are never touched.
KEYS   per item: lock hash, line list, signs zset
ARGV   per item: claim id `<process>:<n>`, hold at least this long, ms (0: free at once), 1 = leave the line
Reply  per item: 1 released | 0 there was none of this id | error text; for one item the answer itself, which is
       cheaper to read ]]
local call = redis.call
--@include item
--@include wake

-- Lowers the life of the grant to what must be left of it. Nobody is woken, since nothing is free.
local function keep(lock, id, ms)
  if call('HEXISTS', lock, id) == 0 then return 0 end
  local ttl = call('PTTL', lock)
  if ttl < 0 or ttl > tonumber(ms) then call('PEXPIRE', lock, ms) end
  return 1
end

-- Whoever is first in line once the dead are gone, and whether this process was and has left.
local function settleLine(line, signs, id, leaves)
  --@include clock
  --@include line
  local process = string.match(id, '^[^:]*')
  local wasHead = call('LINDEX', line, '0') == process
  if leaves then leave(line, signs, process) end
  local head = liveHead(line, signs, (serverNow()))
  return head, wasHead and leaves
end

local function withdraw(key, arg)
  local lock, line = KEYS[key], KEYS[key + 1]
  local isKept = ARGV[arg + 1] ~= '0'
  local ended = isKept and keep(lock, ARGV[arg], ARGV[arg + 1]) or call('HDEL', lock, ARGV[arg])
  local isFreed = ended == 1 and not isKept
  local head, hasLeft
  -- After most releases nothing is left: neither marks in the hash nor a line.
  if call('EXISTS', lock, line) > 0 then
    if isFreed then
      call('HDEL', lock, 'bedrock_revoked')
      -- What is left belongs to somebody else: a lock of another type was taken over this one.
      isFreed = call('EXISTS', lock) == 0
    end
    head, hasLeft = settleLine(line, KEYS[key + 2], ARGV[arg], ARGV[arg + 2] == '1')
  end
  if isFreed or (hasLeft and call('EXISTS', lock) == 0) then wake(lock, head) end
  return ended
end

local reply = {}
for item = 0, #KEYS / 3 - 1 do
  reply[item + 1] = answerOf(withdraw, 1 + item * 3, 1 + item * 3)
end
return #reply == 1 and reply[1] or reply
