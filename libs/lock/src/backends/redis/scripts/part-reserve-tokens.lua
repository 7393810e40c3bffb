--[[ reserveTokens(counter, count): the first of `count` fencing tokens, or the text of the counter's error. A token exceeds
the last one and the server's time, epoch us, less what one call reserves. So tokens grow even when the counter was lost, up
to a million a second. Lua counts exactly up to 2^53, a time in the year 2255. The time is joined as text: to format such a
number costs more than the rest of this function. ]]
--@needs call, time
--@sets reserveTokens
local function reserveTokens(counter, count)
  local micros = time[2]
  local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep('0', 6 - #micros) .. micros
  local before = redis.pcall('GETSET', counter, last)
  if type(before) == 'table' then return before.err end
  -- A counter behind the time continues from the time. A value that cannot be a token counts as lost.
  local first = last - count
  before = tonumber(before)
  if before and before > first and before + count < 9007199254740992 then
    call('SET', counter, string.format('%.0f', before + count))
    first = before
  end
  return first + 1
end
