--[[ tag: the hash tag of `lock`, by Redisson's rule: a name that contains a brace carries its own. ]]
local tag = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
