--[[ Writes the grant of `lock` to `holder`, for `lease` ms. ]]
call('HSET', lock, holder, '1')
call('PEXPIRE', lock, lease)
