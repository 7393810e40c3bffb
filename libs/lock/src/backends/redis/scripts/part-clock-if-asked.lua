--[[ As part-clock, when the last argument is 1. Else `time` and `now` are nil until they are needed. ]]
--@needs call
--@sets time, now
local time, now
if ARGV[#ARGV] == '1' then
  --@include read-clock
end
