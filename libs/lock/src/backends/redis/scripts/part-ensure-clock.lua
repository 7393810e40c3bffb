--[[ For who needs `time` or `now`, where nobody may have read them yet. ]]
if not now then
  --@include read-clock
end
