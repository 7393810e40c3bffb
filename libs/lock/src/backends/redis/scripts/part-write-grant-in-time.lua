--[[ As part-write-grant, of a lock that is not there, for who has not read the clock: the server itself tells whether the
claim came in time, since it deletes at once what is to end in the past. ]]
call('HSET', lock, holder, '1')
call('PEXPIREAT', lock, ARGV[arg + 2])
if call('PEXPIRE', lock, lease) == 0 then
  --@include read-clock
  answer = -1
end
