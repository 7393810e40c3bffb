--[[ settle(at, isFreed): after a withdraw that leaves something: marks, the grant of somebody else, a line. Leaves the line
if asked to, and wakes whoever is first in it once the dead are gone. ]]
--@include clock
--@include line
local function settle(at, isFreed)
  local lock, line, signs = KEYS[at], KEYS[at + 1], KEYS[at + 2]
  if isFreed then
    call('HDEL', lock, 'bedrock_revoked')
    -- What is left belongs to somebody else: a lock of another type was taken over this one.
    isFreed = call('EXISTS', lock) == 0
  end
  local process, leaves = string.match(ARGV[at], '^[^:]*'), ARGV[at + 2] == '1'
  local wasHead = call('LINDEX', line, '0') == process
  if leaves then leave(line, signs, process) end
  local head = liveHead(line, signs, serverNow())
  if isFreed or (wasHead and leaves and call('EXISTS', lock) == 0) then wake(lock, head) end
end
