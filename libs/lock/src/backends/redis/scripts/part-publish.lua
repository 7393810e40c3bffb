--[[ Publishes `message` to `process`, on the channel of that process. ]]
call('PUBLISH', 'bedrock_wake:' .. process, message)
