--[[ Reads the server's clock into `time` and `now`. ]]
--@needs call, time, now
--@sets time, now
time = call('TIME')
local micros = time[2] + 0
now = time[1] * 1000 + (micros - micros % 1000) / 1000
