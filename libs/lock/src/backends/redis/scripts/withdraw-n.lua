--[[ withdraw: end own grants, leave the line, wake the next. Foreign grants are never touched.
KEYS   per item: lock hash, line list, signs zset
ARGV   per item: claim id `<process>:<n>`, hold at least this long, ms (0: free at once), 1 = leave the line
Reply  per item: 1 released | 0 there was none of this id | error text; for one item the answer itself, which is
       cheaper to read
After most releases nothing is left, neither marks in the hash nor a line: what only the others need is defined where
they need it. ]]
local call = redis.call
--@include wake

-- Lowers the life of the grant to what must be left of it. Nobody is woken, since nothing is free.
local function keep(lock, id, ms)
  if call('HEXISTS', lock, id) == 0 then return 0 end
  local ttl = call('PTTL', lock)
  if ttl < 0 or ttl > tonumber(ms) then call('PEXPIRE', lock, ms) end
  return 1
end

-- Something is left: marks, the grant of somebody else, a line. Wakes whoever is first once the dead are gone.
local function settle(key, arg, isFreed)
  --@include clock
  --@include line
  local lock, line, signs = KEYS[key], KEYS[key + 1], KEYS[key + 2]
  if isFreed then
    call('HDEL', lock, 'bedrock_revoked')
    -- What is left belongs to somebody else: a lock of another type was taken over this one.
    isFreed = call('EXISTS', lock) == 0
  end
  local process, leaves = string.match(ARGV[arg], '^[^:]*'), ARGV[arg + 2] == '1'
  local wasHead = call('LINDEX', line, '0') == process
  if leaves then leave(line, signs, process) end
  local head = liveHead(line, signs, (serverNow()))
  if isFreed or (wasHead and leaves and call('EXISTS', lock) == 0) then wake(lock, head) end
end

local function withdraw(key, arg)
  local lock, isKept = KEYS[key], ARGV[arg + 1] ~= '0'
  local ended = isKept and keep(lock, ARGV[arg], ARGV[arg + 1]) or call('HDEL', lock, ARGV[arg])
  local isFreed = ended == 1 and not isKept
  if call('EXISTS', lock, KEYS[key + 1]) > 0 then
    settle(key, arg, isFreed)
  elseif isFreed then
    wake(lock)
  end
  return ended
end

if #KEYS == 3 then return withdraw(1, 1) end
--@include item
local reply = {}
for item = 0, #KEYS / 3 - 1 do
  reply[item + 1] = answerOf(withdraw, 1 + item * 3, 1 + item * 3)
end
return reply
