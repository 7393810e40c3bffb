--[[ tag: the hash tag of `lock`, by Redisson's rule: a name that contains a brace carries its own. ]]
--@needs lock
--@sets tag
local tag = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
