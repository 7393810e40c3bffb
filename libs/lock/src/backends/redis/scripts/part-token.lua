--[[ takeTokens(key, arg): the first of ARGV[arg] fencing tokens for the item of KEYS[key], 0 when none is wanted; from the
lock's own counter or from the shared one. From the shared one the first call reserves what all later items may want: gaps
do no harm, and what fails here has granted nothing.
A token exceeds the last one and the server's time, epoch us, less what one call reserves, so tokens grow even when the
counter was lost, up to a million a second for ever. 2^53, where Lua stops counting, is reached in the year 2255. The text
of the time is joined from the server's own: to print such a number costs more than all else here. ]]
local lastToken

-- The token before the first of `count`. A counter that is behind the time goes on from it; what is no number counts as lost.
local function reserve(counter, count)
  local last = #time[2] == 6 and time[1] .. time[2] or time[1] .. string.rep('0', 6 - #time[2]) .. time[2]
  local before = tonumber(call('GETSET', counter, last))
  if not before or before + count <= tonumber(last) then return last - count end
  call('SET', counter, string.format('%.0f', before + count))
  return before
end

local function takeTokens(key, arg)
  local count = tonumber(ARGV[arg])
  if count == 0 then return 0 end
  if owns then return reserve(KEYS[key + 3], count) + 1 end
  if not lastToken then
    local ahead = 0
    for at = arg, items * 5, 5 do ahead = ahead + ARGV[at] end
    lastToken = reserve(KEYS[1], ahead)
  end
  lastToken = lastToken + count
  return lastToken - count + 1
end
