--[[ takeTokens(key, arg, step, time): the first of ARGV[arg] fencing tokens, 0 when none is wanted.
The first call reserves what all later items (every `step` arguments) may want: gaps do no harm, and what fails here has
granted nothing. A token exceeds the last one and the server's time, epoch us, so tokens grow even when the counter was
lost, up to a million a second for ever. 2^53, where Lua stops counting, is reached in the year 2255. The text of the
time is joined from the server's own: to print such a number costs more than all else here. ]]
local nextToken

local function takeTokens(key, arg, step, time)
  local count = tonumber(ARGV[arg])
  if count == 0 then return 0 end
  if not nextToken then
    local ahead = 0
    for at = arg, #ARGV, step do ahead = ahead + ARGV[at] end
    local floor = time[1] .. string.sub('000000' .. time[2], -6)
    if tonumber(call('GET', key) or 0) < tonumber(floor) then call('SET', key, floor) end
    nextToken = call('INCRBY', key, ahead) - ahead + 1
  end
  nextToken = nextToken + count
  return nextToken - count
end
