--[[ Publishes `message` to `process`, on the channel of that process. ]]
--@needs call, process, message
call('PUBLISH', 'bedrock_wake:' .. process, message)
