--[[ Fencing tokens. A token exceeds the last one and the server's time, epoch us, less what one call reserves, so
tokens grow even when the counter was lost, up to a million a second for ever. 2^53, where Lua stops counting, is reached
in the year 2255. The text of the time is joined from the server's own: to print such a number costs more than all else
here. ]]
local nextToken

-- The first of `count` tokens of a counter, which ends with the time where it is behind it. What is no number counts as
-- lost.
local function reserve(key, count, time)
  local last = time[1] .. string.sub('000000' .. time[2], -6)
  local before = tonumber(call('GETSET', key, last))
  if not before or before + count <= tonumber(last) then return last - count + 1 end
  call('SET', key, string.format('%.0f', before + count))
  return before + 1
end

-- The first of ARGV[arg] tokens, 0 when none is wanted, from the lock's own counter or the shared one. From the shared one
-- the first call reserves what all later items (every 5 arguments up to `last`) may want: gaps do no harm, and what fails
-- here has granted nothing.
local function takeTokens(shared, own, arg, last, time)
  local count = tonumber(ARGV[arg])
  if count == 0 then return 0 end
  if own then return reserve(own, count, time) end
  if not nextToken then
    local ahead = 0
    for at = arg, last, 5 do ahead = ahead + ARGV[at] end
    nextToken = reserve(shared, ahead, time)
  end
  nextToken = nextToken + count
  return nextToken - count
end
