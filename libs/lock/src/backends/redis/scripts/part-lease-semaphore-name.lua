--[[ lock: the name of the semaphore whose hash is KEYS[at]. ]]
local lock = string.match(KEYS[at], '^bedrock_units:{(.*)}$') or string.gsub(KEYS[at], '^bedrock_units::', '')
