--[[ The holders of a read-write lock: in the hash, `<claim id>` reads and `<claim id>:write` writes. A reader lives as long
as a string of its own, which Redisson names after the lock and the claim: `1`, or `revoked` once renewals are refused. That
string is not in KEYS but in the slot of the lock. A writer lives as long as the hash, and has the string only when it was
revoked. ]]
--@sets isWriter, idOf, holdKey
local function isWriter(holder)
  return string.sub(holder, -6) == ':write'
end

local function idOf(holder)
  return isWriter(holder) and string.sub(holder, 1, -7) or holder
end

local function holdKey(lock, holder, depth)
  --@include tag
  return tag .. ':' .. idOf(holder) .. ':rwlock_timeout:' .. (depth or '1')
end
