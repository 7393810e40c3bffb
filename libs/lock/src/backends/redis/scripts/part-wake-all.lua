--[[ Tells everybody that `lock` is free: there is no queue. ]]
--@needs call, lock
--@include tag
--@include channel-commands
call(PUBLISH, 'redisson_lock__channel:' .. tag, '0')
