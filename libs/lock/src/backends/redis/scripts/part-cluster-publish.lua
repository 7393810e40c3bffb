--[[ Publishes `message` to `process`, on a cluster. A script may use only channels in the slot of its keys, so each process
has a channel for every `lock` that it waits for. ]]
--@needs call, lock, process, message
--@include tag
call('SPUBLISH', 'bedrock_wake:' .. tag .. ':' .. process, message)
