--[[ permitOf(hex): a permit as Redisson keeps it: 16 bytes. ]]
--@sets permitOf
local function permitOf(hex)
  return (string.gsub(hex, '%x%x', function(byte) return string.char(tonumber(byte, 16)) end))
end
