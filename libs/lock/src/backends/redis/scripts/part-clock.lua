--[[ The server's clock: `time`, as it gives it, and `now`, epoch ms. Clocks of clients never decide. ]]
--@needs call
--@sets time, now
local time, now
--@include read-clock
