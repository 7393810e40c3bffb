--[[ Writes the grant of `lock` to `holder`, for `lease` ms. The life of other readers is never shortened. Before Redis 7.2
every command reads the clock anew: the key written last ends last, and the hash must not live longer than its holders. ]]
--@needs call, lock, isWriter, holder, lease, holdKey
call('HSET', lock, 'mode', isWriter(holder) and 'write' or 'read', holder, '1')
if call('PTTL', lock) < tonumber(lease) then call('PEXPIRE', lock, lease) end
if not isWriter(holder) then call('SET', holdKey(lock, holder), '1', 'PX', lease) end
