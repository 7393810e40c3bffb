--[[ extend(lock, holder, life): pushes the expiry of a grant, which is never shortened. ]]
local function extend(lock, holder, life)
  if call('PTTL', lock) < tonumber(life) then call('PEXPIRE', lock, life) end
  -- In this order, as where it was granted.
  local hold = holdKey(lock, holder)
  if not isWriter(holder) and call('PTTL', hold) < tonumber(life) then call('PEXPIRE', hold, life) end
end
