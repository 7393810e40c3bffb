--[[ shorten(at, arg): lowers the life of the grant of KEYS[at] to what must be left of it, ARGV[arg + 1]. Nobody is woken,
since nothing is free. 1, or 0 when there is none. ]]
--@needs call
--@sets shorten
local function shorten(at, arg)
  local lock, ms = KEYS[at], ARGV[arg + 1]
  if call('HEXISTS', lock, ARGV[arg]) == 0 then return 0 end
  local ttl = call('PTTL', lock)
  if ttl < 0 or ttl > tonumber(ms) then call('PEXPIRE', lock, ms) end
  return 1
end
