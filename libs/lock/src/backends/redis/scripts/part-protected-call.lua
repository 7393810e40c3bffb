--[[ protectedCall(fn, key, arg, extra): the result of fn(key, arg, extra), or the text of its error, so that a bad key
affects no other item. ]]
--@sets protectedCall
local function protectedCall(fn, key, arg, extra)
  local isOk, answer = pcall(fn, key, arg, extra)
  if isOk then return answer end
  -- Redis 7 raises a table, earlier versions a text.
  return type(answer) == 'table' and answer.err or tostring(answer)
end
