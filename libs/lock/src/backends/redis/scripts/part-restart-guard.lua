--[[ The guard, the last key, names the run of the server whose data are known. Another run, or no guard (flushed, restarted
empty), may have lost grants that are in use, so nothing is granted for the longest lease. `runId:until` marks the end of
that time. ]]
--@needs call, keys, args, now, time
--@sets now, time
local guard, runId = call('GET', KEYS[keys]), ARGV[args - 2]
if guard ~= runId then
  if not now then
    --@include read-clock
  end
  local longest, prefix = ARGV[args - 1], runId .. ':'
  local over = guard and string.sub(guard, 1, #prefix) == prefix and tonumber(string.sub(guard, #prefix + 1))
  if not guard and ARGV[args] == '1' then over = now end
  -- A later end was written before the clock stepped back.
  if not over or over > now + longest then
    over = now + longest
    call('SET', KEYS[keys], string.format('%s%.0f', prefix, over))
  end
  if over > now then return redis.error_reply(string.format('QUARANTINED %.0f', over - now)) end
  call('SET', KEYS[keys], runId)
end
