--[[ takeTokens(key, arg): the first of ARGV[arg] fencing tokens for the item of KEYS[key], 0 when none is wanted; from the
lock's own counter or from the shared one. From the shared one the first call reserves what all later items may want: gaps
do no harm, and what fails here ends the whole script, which has granted nothing yet. A failure of the lock's own counter
is the answer of this item.
A token exceeds the last one and the server's time, epoch us, less what one call reserves, so tokens grow even when the
counter was lost, up to a million a second for ever. 2^53, where Lua stops counting, is reached in the year 2255. The text
of the time is joined from the server's own: to print such a number costs more than all else here. ]]
local lastToken

local function takeTokens(key, arg)
  local count = tonumber(ARGV[arg])
  if count == 0 then return 0 end
  local owns = keysPerItem == 4
  if owns or not lastToken then
    local ahead, before = count, nil
    local last = #time[2] == 6 and time[1] .. time[2] or time[1] .. string.rep('0', 6 - #time[2]) .. time[2]
    if owns then
      before = redis.pcall('GETSET', KEYS[key + 3], last)
    else
      for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end
      before = call('GETSET', KEYS[1], last)
    end
    if type(before) == 'table' then return before.err end
    -- A counter that is behind the time goes on from the time; what is no number of a token counts as lost.
    lastToken = last - ahead
    before = tonumber(before)
    if before and before > lastToken and before + ahead < 9007199254740992 then
      call('SET', owns and KEYS[key + 3] or KEYS[1], string.format('%.0f', before + ahead))
      lastToken = before
    end
  end
  lastToken = lastToken + count
  return lastToken - count + 1
end
