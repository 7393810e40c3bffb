--[[ protectedCall(fn, key, arg, extra): what fn(key, arg, extra) returns, or the text of its error: a bad key hurts no
other item. ]]
--@sets protectedCall
local function protectedCall(fn, key, arg, extra)
  local isOk, answer = pcall(fn, key, arg, extra)
  if isOk then return answer end
  -- Redis 7 raises a table, earlier ones a text.
  return type(answer) == 'table' and answer.err or tostring(answer)
end
