--[[ The holders of a read-write lock: in the hash, `<claim id>` reads and `<claim id>:write` writes. A reader lives as long as
a string of its own, named as Redisson names it after both, so in no KEYS but in the slot of the lock: `1`, or `revoked`
where it gets no more renewals. A writer lives as long as the hash; the string is there when it was revoked. ]]
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
