--[[ Writes the grant of `lock` to `holder`, for `lease` ms. ]]
--@needs call, lock, holder, lease
call('HSET', lock, holder, '1')
call('PEXPIRE', lock, lease)
