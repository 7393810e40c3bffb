--[[ answerOf(verb, key, arg, extra): what verb(key, arg, extra) returns, or the text of its error: a bad key hurts no other item. ]]
local function answerOf(verb, key, arg, extra)
  local isAnswered, answer = pcall(verb, key, arg, extra)
  if isAnswered then return answer end
  -- Redis 7 raises a table, earlier ones a text.
  return type(answer) == 'table' and answer.err or tostring(answer)
end
