--[[ Wakes all waiters for `lock`, which is free and has no queue. ]]
--@needs call, lock
--@include tag
--@include channel-commands
call(PUBLISH, 'redisson_lock__channel:' .. tag, '0')
