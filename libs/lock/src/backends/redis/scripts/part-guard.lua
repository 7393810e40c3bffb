--[[ quarantineMs(key, runId, longest, trusts, now): how long the server must still refuse grants, or 0.
The guard key names the run of the server whose data are known. Another run, or no guard (flushed, restarted empty),
may have lost grants that are in use: nothing is granted for the longest lease. `runId:until` marks that time. ]]
local function quarantineMs(key, runId, longest, trusts, now)
  local guard = call('GET', key)
  if guard == runId then return 0 end
  local prefix = runId .. ':'
  local over = guard and string.sub(guard, 1, #prefix) == prefix and tonumber(string.sub(guard, #prefix + 1))
  if not guard and trusts then over = now end
  -- What ends later than that was written before the clock stepped back.
  if not over or over > now + longest then
    over = now + longest
    call('SET', key, string.format('%s%.0f', prefix, over))
  end
  if over > now then return over - now end
  call('SET', key, runId)
  return 0
end
