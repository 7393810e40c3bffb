--[[ count: the number in KEYS[1], 0 without one. Any other text belongs to another application. ]]
--@needs call
--@sets text, count
local text = call('GET', KEYS[1])
if text and text ~= '0' and not (#text < 17 and string.find(text, '^-?[1-9]%d*$')) then
  return redis.error_reply('WRONGTYPE a text that is no count')
end
local count = tonumber(text or 0)
