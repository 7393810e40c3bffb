--[[ withdraw of a read-write lock: as withdraw-n; the claim ids are without `:write`, whatever they hold.
KEYS, ARGV, Reply  as withdraw-n ]]
--@take write-grant from rw-write-grant
--@take wake from rw-wake
local call = redis.call
local keysOfItem = 3
local items = #ARGV / 3
local keysPerItem = (#KEYS - 1) / items
--@include clock
--@include protected-call
--@include queue
--@include wake
--@include rw-hold
--@include rw-serve-next
--@include rw-release

local function withdraw(at, arg)
  local lock, id, keepMs = KEYS[at], ARGV[arg], ARGV[arg + 1]
  local held = call('HMGET', lock, id, id .. ':write')
  local ended, isFreed, redissonMessage = 0, false, '0'
  if held[1] then
    ended, isFreed = releaseReader(lock, id, keepMs)
  elseif held[2] then
    ended, isFreed = releaseWriter(lock, id, keepMs)
    redissonMessage = '1'
  end
  local wasHead = call('LINDEX', KEYS[at + 1], '0') == memberOf(arg)
  dequeueWithdrawn(at, arg)
  if isFreed or wasHead then
    local mode = call('HGET', lock, 'mode')
    -- A hash without a mode is a lock of another type.
    if mode or call('EXISTS', lock) == 0 then serveNext(at, mode, not mode and redissonMessage) end
  end
  return ended
end

local reply = {}
for item = 0, items - 1 do
  reply[item + 1] = protectedCall(withdraw, 2 + item * keysPerItem, 1 + item * 3)
end
return #reply == 1 and reply[1] or reply
