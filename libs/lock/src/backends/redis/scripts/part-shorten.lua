--[[ shorten(at, arg): lowers the life of the grant of KEYS[at] to ARGV[arg + 1], ms. Wakes no waiter, since the lock is not
free. 1, or 0 without a grant. ]]
--@needs call
--@sets shorten
local function shorten(at, arg)
  local lock, ms = KEYS[at], ARGV[arg + 1]
  if call('HEXISTS', lock, ARGV[arg]) == 0 then return 0 end
  local ttl = call('PTTL', lock)
  if ttl < 0 or ttl > tonumber(ms) then call('PEXPIRE', lock, ms) end
  return 1
end
