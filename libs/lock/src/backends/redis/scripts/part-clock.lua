--[[ The server's clock: `time`, as TIME answers it, and `now`, epoch ms. Clocks of clients never decide. ]]
--@needs call
--@sets time, now
local time, now
--@include read-clock
