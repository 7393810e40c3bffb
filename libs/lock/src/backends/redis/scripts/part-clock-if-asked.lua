--[[ As part-clock, when the last argument is 1; else `time` and `now` are nil until somebody needs them. ]]
--@needs call
--@sets time, now
local time, now
if ARGV[#ARGV] == '1' then
  --@include read-clock
end
