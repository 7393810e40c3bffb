--[[ serverNow(): the server's clock in epoch ms. Clocks of clients never decide. ]]
local function serverNow()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
