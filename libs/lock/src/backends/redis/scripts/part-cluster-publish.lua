--[[ Publishes `message` to `process`, on a cluster: a script speaks within the slot of its keys alone, so each process has a
channel beside every `lock` that it waits for. ]]
--@needs call, lock, process, message
--@include tag
call('SPUBLISH', 'bedrock_wake:' .. tag .. ':' .. process, message)
