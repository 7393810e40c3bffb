--[[ withdraw of a read-write lock: as withdraw-n; the claim ids are without `:write`, whatever they hold.
KEYS, ARGV, Reply  as withdraw-n ]]
--@take enter from rw-enter
--@take wake from rw-wake
local call = redis.call
local keysOfItem = 3
local items = #ARGV / 3
local keysPerItem = (#KEYS - 1) / items
--@include clock
--@include item
--@include line
--@include wake
--@include rw-hold
--@include rw-pass
--@include rw-leave

local function withdraw(at, arg)
  local lock, id, keepMs = KEYS[at], ARGV[arg], ARGV[arg + 1]
  local held = call('HMGET', lock, id, id .. ':write')
  local ended, isFreed, news = 0, false, '0'
  if held[1] then
    ended, isFreed = endReading(lock, id, keepMs)
  elseif held[2] then
    ended, isFreed = endWriting(lock, id, keepMs)
    news = '1'
  end
  local wasHead = call('LINDEX', KEYS[at + 1], '0') == standing(arg)
  stepBack(at, arg)
  if isFreed or wasHead then
    local mode = call('HGET', lock, 'mode')
    -- What is there without a mode is a lock of another type.
    if mode or call('EXISTS', lock) == 0 then pass(at, mode, not mode and news) end
  end
  return ended
end

local reply = {}
for item = 0, items - 1 do
  reply[item + 1] = answerOf(withdraw, 2 + item * keysPerItem, 1 + item * 3)
end
return #reply == 1 and reply[1] or reply
