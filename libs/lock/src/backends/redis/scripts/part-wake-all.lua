--[[ Tells everybody that `lock` is free: there is no line. ]]
--@include tag
--@include channels
call(PUBLISH, 'redisson_lock__channel:' .. tag, '0')
