--[[ tag: the hash tag of `lock`, by Redisson's rule: a name with a brace is its own tag. ]]
--@needs lock
--@sets tag
local tag = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
