// Written by tools/embed-lua.mjs from scripts/*.lua. Do not edit: run `npm run embed`.
export const scripts = {
  /** annotate-n.lua */
  annotateN: {
    source:
      'local call = redis.call\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function annotate(key, arg)\n' +
      'if call(\'HEXISTS\', KEYS[key], ARGV[arg]) == 0 then return 0 end\n' +
      'call(\'HSET\', KEYS[key], ARGV[arg], ARGV[arg + 1])\n' +
      'return 1\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 1, #KEYS do\n' +
      'reply[item] = protectedCall(annotate, item, item * 2 - 1)\n' +
      'end\n' +
      'return reply',
    sha1: 'a52f6ab2c1e80f0372dc76be3f50539d371d3848',
    sha1InCluster: 'a52f6ab2c1e80f0372dc76be3f50539d371d3848',
  },
  /** claim-all-n.lua */
  claimAllN: {
    source:
      'local keysOfItem = 3\n' +
      'local call, KEYS, ARGV = redis.call, KEYS, ARGV\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local args, keys = #ARGV - 1, #KEYS\n' +
      'if args % 5 == 3 then\n' +
      'local guard, runId = call(\'GET\', KEYS[keys]), ARGV[args - 2]\n' +
      'if guard ~= runId then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'local longest, prefix = ARGV[args - 1], runId .. \':\'\n' +
      'local over = guard and string.sub(guard, 1, #prefix) == prefix and tonumber(string.sub(guard, #prefix + 1))\n' +
      'if not guard and ARGV[args] == \'1\' then over = now end\n' +
      'if not over or over > now + longest then\n' +
      'over = now + longest\n' +
      'call(\'SET\', KEYS[keys], string.format(\'%s%.0f\', prefix, over))\n' +
      'end\n' +
      'if over > now then return redis.error_reply(string.format(\'QUARANTINED %.0f\', over - now)) end\n' +
      'call(\'SET\', KEYS[keys], runId)\n' +
      'end\n' +
      'args, keys = args - 3, keys - 1\n' +
      'end\n' +
      'local items = args / 5\n' +
      'local keysPerItem = (keys - 1) / items\n' +
      'local ownsTokens = keysPerItem > keysOfItem\n' +
      'local takeTokens\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local nextToken\n' +
      'takeTokens = function(key, arg)\n' +
      'local count = tonumber(ARGV[arg])\n' +
      'if count == 0 then return 0 end\n' +
      'if ownsTokens then return reserveTokens(KEYS[key + keysOfItem], count) end\n' +
      'if not nextToken then\n' +
      'local ahead = count\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'nextToken = reserveTokens(KEYS[1], ahead)\n' +
      'end\n' +
      'if type(nextToken) == \'string\' then return nextToken end\n' +
      'nextToken = nextToken + count\n' +
      'return nextToken - count\n' +
      'end\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local isFirst = {}\n' +
      'local function obstacleTo(at, arg)\n' +
      'local lock = KEYS[at]\n' +
      'if call(\'HLEN\', lock) == 0 then\n' +
      'local own = memberOf(arg)\n' +
      'local head, ask, rest = liveHead(at, own)\n' +
      'isFirst[at] = head == own\n' +
      'if not head or head == own then return nil end\n' +
      'if hasLostHead then\n' +
      'local function wake(lock, head)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_lock__channel:\' .. tag, head and \'00\' or \'0\')\n' +
      'end\n' +
      'wake(lock, head, ask)\n' +
      'end\n' +
      'return { rest + 1 }\n' +
      'end\n' +
      'local state = call(\'HMGET\', lock, ARGV[arg], \'bedrock_revoked\', \'mode\')\n' +
      'if state[3] then return \'WRONGTYPE a read-write lock\' end\n' +
      'if state[1] and not state[2] then return nil end\n' +
      'local fields = call(\'HSCAN\', lock, \'0\')[2]\n' +
      'return { call(\'PTTL\', lock), fields[1] == \'bedrock_revoked\' and fields[3] or fields[1] }\n' +
      'end\n' +
      'local function positionsOf(item)\n' +
      'return 2 + (item - 1) * keysPerItem, item * 5 - 4\n' +
      'end\n' +
      'for item = 1, items do\n' +
      'local at, arg = positionsOf(item)\n' +
      'if now >= ARGV[arg + 2] + 0 then return { now, -1 } end\n' +
      'local obstacle = protectedCall(obstacleTo, at, arg)\n' +
      'if type(obstacle) == \'string\' then return { now, obstacle } end\n' +
      'if obstacle then return { now, { 0, item, obstacle[1], obstacle[2] } } end\n' +
      'end\n' +
      'local answer = { 1 }\n' +
      'for item = 1, items do\n' +
      'local at, arg = positionsOf(item)\n' +
      'answer[item + 1] = takeTokens(at, arg + 3)\n' +
      'if type(answer[item + 1]) == \'string\' then return { now, answer[item + 1] } end\n' +
      'if isFirst[at] then dequeue(at, memberOf(arg)) end\n' +
      'end\n' +
      'for item = 1, items do\n' +
      'local at, arg = positionsOf(item)\n' +
      'if call(\'HEXISTS\', KEYS[at], ARGV[arg]) == 0 then call(\'HSET\', KEYS[at], ARGV[arg], \'1\') end\n' +
      'if call(\'PTTL\', KEYS[at]) < tonumber(ARGV[arg + 1]) then call(\'PEXPIRE\', KEYS[at], ARGV[arg + 1]) end\n' +
      'end\n' +
      'return { now, answer }',
    sha1: '76ffe36a5c11f1e87e308bb6991d858aaf38707c',
    sha1InCluster: '2b04ad6f29d82060724d20cc08047408912e45ae',
  },
  /** claim-n.lua */
  claimN: {
    source:
      'local keysOfItem = 3\n' +
      'local call, KEYS, ARGV = redis.call, KEYS, ARGV\n' +
      'local time, now\n' +
      'if ARGV[#ARGV] == \'1\' then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'local args, keys = #ARGV - 1, #KEYS\n' +
      'if args % 5 == 3 then\n' +
      'local guard, runId = call(\'GET\', KEYS[keys]), ARGV[args - 2]\n' +
      'if guard ~= runId then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'local longest, prefix = ARGV[args - 1], runId .. \':\'\n' +
      'local over = guard and string.sub(guard, 1, #prefix) == prefix and tonumber(string.sub(guard, #prefix + 1))\n' +
      'if not guard and ARGV[args] == \'1\' then over = now end\n' +
      'if not over or over > now + longest then\n' +
      'over = now + longest\n' +
      'call(\'SET\', KEYS[keys], string.format(\'%s%.0f\', prefix, over))\n' +
      'end\n' +
      'if over > now then return redis.error_reply(string.format(\'QUARANTINED %.0f\', over - now)) end\n' +
      'call(\'SET\', KEYS[keys], runId)\n' +
      'end\n' +
      'args, keys = args - 3, keys - 1\n' +
      'end\n' +
      'local items = args / 5\n' +
      'local keysPerItem = (keys - 1) / items\n' +
      'local ownsTokens = keysPerItem > keysOfItem\n' +
      'local reply, takeTokens\n' +
      'for item = 0, items - 1 do\n' +
      'local key, arg, answer = 2 + item * keysPerItem, 1 + item * 5, nil\n' +
      'local lock, holder, lease = KEYS[key], ARGV[arg], ARGV[arg + 1]\n' +
      'local isContended, wantsTokens = call(\'EXISTS\', lock, KEYS[key + 1]) > 0, ARGV[arg + 3] ~= \'0\'\n' +
      'if now or isContended or wantsTokens then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'if wantsTokens and not takeTokens then\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local nextToken\n' +
      'takeTokens = function(key, arg)\n' +
      'local count = tonumber(ARGV[arg])\n' +
      'if count == 0 then return 0 end\n' +
      'if ownsTokens then return reserveTokens(KEYS[key + keysOfItem], count) end\n' +
      'if not nextToken then\n' +
      'local ahead = count\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'nextToken = reserveTokens(KEYS[1], ahead)\n' +
      'end\n' +
      'if type(nextToken) == \'string\' then return nextToken end\n' +
      'nextToken = nextToken + count\n' +
      'return nextToken - count\n' +
      'end\n' +
      'end\n' +
      'if now >= ARGV[arg + 2] + 0 then\n' +
      'answer = -1\n' +
      'elseif isContended then\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function refusalOf(at, arg)\n' +
      'local lock = KEYS[at]\n' +
      'local function refuse(retry, holder)\n' +
      'if ARGV[arg + 4] ~= \'0\' then enqueue(at, arg) end\n' +
      'return { retry, holder }\n' +
      'end\n' +
      'if call(\'HLEN\', lock) == 0 then\n' +
      'local own = memberOf(arg)\n' +
      'local head, ask, rest = liveHead(at, own)\n' +
      'if head and head ~= own then\n' +
      'if hasLostHead then\n' +
      'local function wake(lock, head)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_lock__channel:\' .. tag, head and \'00\' or \'0\')\n' +
      'end\n' +
      'wake(lock, head, ask)\n' +
      'end\n' +
      'return refuse(rest + 1)\n' +
      'end\n' +
      'if head then dequeue(at, own) end\n' +
      'return nil\n' +
      'end\n' +
      'local state = call(\'HMGET\', lock, ARGV[arg], \'bedrock_revoked\', \'mode\')\n' +
      'if state[3] then return \'WRONGTYPE a read-write lock\' end\n' +
      'local ttl = call(\'PTTL\', lock)\n' +
      'if state[1] and not state[2] then\n' +
      'local token = takeTokens and takeTokens(at, arg + 3) or 0\n' +
      'if ttl < tonumber(ARGV[arg + 1]) then call(\'PEXPIRE\', lock, ARGV[arg + 1]) end\n' +
      'return token\n' +
      'end\n' +
      'local fields = call(\'HSCAN\', lock, \'0\')[2]\n' +
      'return refuse(ttl, fields[1] == \'bedrock_revoked\' and fields[3] or fields[1])\n' +
      'end\n' +
      'answer = protectedCall(refusalOf, key, arg)\n' +
      'end\n' +
      'if answer == nil then\n' +
      'answer = takeTokens and takeTokens(key, arg + 3) or 0\n' +
      'if type(answer) == \'number\' then\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIRE\', lock, lease)\n' +
      'end\n' +
      'end\n' +
      'else\n' +
      'answer = 0\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIREAT\', lock, ARGV[arg + 2])\n' +
      'if call(\'PEXPIRE\', lock, lease) == 0 then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'answer = -1\n' +
      'end\n' +
      'end\n' +
      'if items == 1 and not now then return answer end\n' +
      'reply = reply or { 0, answer }\n' +
      'reply[item + 2] = answer\n' +
      'end\n' +
      'reply = reply or {}\n' +
      'reply[1] = now or 0\n' +
      'return reply',
    sha1: '3b28e18c4203ddb5e11a9585c99c4e64355dd5d2',
    sha1InCluster: 'c7e2e568fcd56eee2a8c13808ba205e0fa24c9c9',
  },
  /** counter-create-2.lua */
  counterCreate: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local storedAnswer = call(\'GET\', KEYS[#KEYS])\n' +
      'if storedAnswer then return { now, storedAnswer, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function storeAnswer(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'if text then return { now, 0 } end\n' +
      'call(\'SET\', KEYS[1], ARGV[3])\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, ARGV[4], ARGV[5])\n' +
      'return storeAnswer(1)',
    sha1: 'baca4be7af40e0baeb8095cf0db1d16e4674cd47',
    sha1InCluster: 'd444d76f9c9488c6e41ae861a418c96f91dcf5cc',
  },
  /** counting-semaphore-add-2.lua */
  countingSemaphoreAdd: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local storedAnswer = call(\'GET\', KEYS[#KEYS])\n' +
      'if storedAnswer then return { now, storedAnswer, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function storeAnswer(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'local function publishFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'count = call(\'INCRBY\', KEYS[1], ARGV[3])\n' +
      'if tonumber(ARGV[3]) > 0 then publishFree(ARGV[4]) end\n' +
      'return storeAnswer(count)',
    sha1: 'b52be115f96faf9ac3b3af8d756573b82467a575',
    sha1InCluster: '63895d76dfea772af5e834e082ecaccf5f71d664',
  },
  /** counting-semaphore-drain-2.lua */
  countingSemaphoreDrain: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local storedAnswer = call(\'GET\', KEYS[#KEYS])\n' +
      'if storedAnswer then return { now, storedAnswer, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function storeAnswer(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'if count == 0 then return { now, 0 } end\n' +
      'call(\'DECRBY\', KEYS[1], text)\n' +
      'return storeAnswer(count)',
    sha1: '6b6b62a64bfa7833d576ba3cd52868853d32cac7',
    sha1InCluster: '6b6b62a64bfa7833d576ba3cd52868853d32cac7',
  },
  /** counting-semaphore-take-2.lua */
  countingSemaphoreTake: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local storedAnswer = call(\'GET\', KEYS[#KEYS])\n' +
      'if storedAnswer then return { now, storedAnswer, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function storeAnswer(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'local served, taken = 0, 0\n' +
      'for at = 3, #ARGV do\n' +
      'if taken + ARGV[at] > count then break end\n' +
      'taken, served = taken + ARGV[at], served + 1\n' +
      'end\n' +
      'if served == 0 then return { now, 0, count } end\n' +
      'local reply = storeAnswer(served)\n' +
      'reply[3] = call(\'DECRBY\', KEYS[1], string.format(\'%.0f\', taken))\n' +
      'return reply',
    sha1: '83ed9ba9248b49fbd95939a8f89c7c133aab07bd',
    sha1InCluster: '83ed9ba9248b49fbd95939a8f89c7c133aab07bd',
  },
  /** counting-semaphore-undo-2.lua */
  countingSemaphoreUndo: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'local function publishFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'local served, taken = tonumber(call(\'GET\', KEYS[2]) or 0), 0\n' +
      'for at = 4, 3 + served do taken = taken + ARGV[at] end\n' +
      'call(\'SET\', KEYS[2], \'0\', \'PX\', ARGV[2])\n' +
      'if taken > 0 then\n' +
      'count = call(\'INCRBY\', KEYS[1], string.format(\'%.0f\', taken))\n' +
      'publishFree(ARGV[3])\n' +
      'end\n' +
      'return { now, taken }',
    sha1: '7be1078298bfda7c4f0cb896e6c6c7aeb7763930',
    sha1InCluster: '2e5b0672cfcf58919ec0b9fabec40c3bc3434a65',
  },
  /** expirable-semaphore-available-2.lua */
  expirableSemaphoreAvailable: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'local reclaimed = call(\'ZREMRANGEBYSCORE\', KEYS[2], \'-inf\', now)\n' +
      'if reclaimed > 0 then count = call(\'INCRBY\', KEYS[1], reclaimed) end\n' +
      'local function publishFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'if reclaimed > 0 then publishFree(ARGV[1]) end\n' +
      'return { now, count }',
    sha1: 'c0f65e58cb9886388710974eb47c74b3153bac0e',
    sha1InCluster: 'aa5486326fcc241a43e508b5dc10925964c51cad',
  },
  /** expirable-semaphore-extend-2.lua */
  expirableSemaphoreExtend: {
    source:
      'local NEVER = 922337203685477\n' +
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'local reclaimed = call(\'ZREMRANGEBYSCORE\', KEYS[2], \'-inf\', now)\n' +
      'if reclaimed > 0 then count = call(\'INCRBY\', KEYS[1], reclaimed) end\n' +
      'local function publishFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'local function permitOf(hex)\n' +
      'return (string.gsub(hex, \'%x%x\', function(byte) return string.char(tonumber(byte, 16)) end))\n' +
      'end\n' +
      'if reclaimed > 0 then publishFree(ARGV[2]) end\n' +
      'local permit, lease = permitOf(ARGV[4]), tonumber(ARGV[3])\n' +
      'if not call(\'ZSCORE\', KEYS[2], permit) then return { now, 0 } end\n' +
      'call(\'ZADD\', KEYS[2], lease < 0 and NEVER or now + lease, permit)\n' +
      'return { now, 1 }',
    sha1: '9114ba539d5036376f118247c3e834bd7aaad13f',
    sha1InCluster: 'f12eeacc080773286dc969148f55dc7b92e0d4d8',
  },
  /** expirable-semaphore-release-3.lua */
  expirableSemaphoreRelease: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local storedAnswer = call(\'GET\', KEYS[#KEYS])\n' +
      'if storedAnswer then return { now, storedAnswer, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function storeAnswer(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'local reclaimed = call(\'ZREMRANGEBYSCORE\', KEYS[2], \'-inf\', now)\n' +
      'if reclaimed > 0 then count = call(\'INCRBY\', KEYS[1], reclaimed) end\n' +
      'local function publishFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'local function permitOf(hex)\n' +
      'return (string.gsub(hex, \'%x%x\', function(byte) return string.char(tonumber(byte, 16)) end))\n' +
      'end\n' +
      'local held = 0\n' +
      'for at = 4, #ARGV do held = held + call(\'ZREM\', KEYS[2], permitOf(ARGV[at])) end\n' +
      'if held > 0 then count = call(\'INCRBY\', KEYS[1], held) end\n' +
      'if held + reclaimed > 0 then publishFree(ARGV[3]) end\n' +
      'return storeAnswer(held)',
    sha1: 'fd44eaee23951e6194e1be7ec3657b8396e39c92',
    sha1InCluster: '1d32c73c4ff57d613452fdcf53d3b198b7543168',
  },
  /** expirable-semaphore-take-3.lua */
  expirableSemaphoreTake: {
    source:
      'local NEVER = 922337203685477\n' +
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'if call(\'EXISTS\', KEYS[3]) == 1 then return { now, 0, 0, -1 } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'local reclaimed = call(\'ZREMRANGEBYSCORE\', KEYS[2], \'-inf\', now)\n' +
      'if reclaimed > 0 then count = call(\'INCRBY\', KEYS[1], reclaimed) end\n' +
      'local function publishFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'local function permitOf(hex)\n' +
      'return (string.gsub(hex, \'%x%x\', function(byte) return string.char(tonumber(byte, 16)) end))\n' +
      'end\n' +
      'local function missing(permits)\n' +
      'local held = 0\n' +
      'for _, permit in ipairs(permits) do\n' +
      'if call(\'ZSCORE\', KEYS[2], permit) then held = held + 1 end\n' +
      'end\n' +
      'return #permits - held\n' +
      'end\n' +
      'local served, at = 0, 3\n' +
      'while at < #ARGV do\n' +
      'local lease, size, permits = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), {}\n' +
      'for i = 1, size do permits[i] = permitOf(ARGV[at + 1 + i]) end\n' +
      'if size > count and missing(permits) > count then break end\n' +
      'local added = 0\n' +
      'for _, permit in ipairs(permits) do\n' +
      'added = added + call(\'ZADD\', KEYS[2], lease < 0 and NEVER or now + lease, permit)\n' +
      'end\n' +
      'if added > 0 then count = call(\'DECRBY\', KEYS[1], added) end\n' +
      'served, at = served + 1, at + 2 + size\n' +
      'end\n' +
      'local ttl = served > 0 and call(\'PTTL\', KEYS[1]) or -1\n' +
      'if ttl > 0 then call(\'PEXPIRE\', KEYS[2], ttl) end\n' +
      'if reclaimed > 0 then publishFree(ARGV[2]) end\n' +
      'local first = at < #ARGV and call(\'ZRANGE\', KEYS[2], 0, 0, \'WITHSCORES\') or {}\n' +
      'local next = tonumber(first[2]) or NEVER\n' +
      'return { now, served, count, next < NEVER and next - now or -1 }',
    sha1: '0f3b862bf37572053b47f88d158f88f014c301a9',
    sha1InCluster: '5dacf3ed4265abfdb42f10ce64d86961f18460fc',
  },
  /** fair-claim-n.lua */
  fairClaimN: {
    source:
      'local keysOfItem = 4\n' +
      'local call, KEYS, ARGV = redis.call, KEYS, ARGV\n' +
      'local time, now\n' +
      'if ARGV[#ARGV] == \'1\' then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'local args, keys = #ARGV - 1, #KEYS\n' +
      'if args % 5 == 3 then\n' +
      'local guard, runId = call(\'GET\', KEYS[keys]), ARGV[args - 2]\n' +
      'if guard ~= runId then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'local longest, prefix = ARGV[args - 1], runId .. \':\'\n' +
      'local over = guard and string.sub(guard, 1, #prefix) == prefix and tonumber(string.sub(guard, #prefix + 1))\n' +
      'if not guard and ARGV[args] == \'1\' then over = now end\n' +
      'if not over or over > now + longest then\n' +
      'over = now + longest\n' +
      'call(\'SET\', KEYS[keys], string.format(\'%s%.0f\', prefix, over))\n' +
      'end\n' +
      'if over > now then return redis.error_reply(string.format(\'QUARANTINED %.0f\', over - now)) end\n' +
      'call(\'SET\', KEYS[keys], runId)\n' +
      'end\n' +
      'args, keys = args - 3, keys - 1\n' +
      'end\n' +
      'local items = args / 5\n' +
      'local keysPerItem = (keys - 1) / items\n' +
      'local ownsTokens = keysPerItem > keysOfItem\n' +
      'local reply, takeTokens\n' +
      'for item = 0, items - 1 do\n' +
      'local key, arg, answer = 2 + item * keysPerItem, 1 + item * 5, nil\n' +
      'local lock, holder, lease = KEYS[key], ARGV[arg], ARGV[arg + 1]\n' +
      'local isContended, wantsTokens = call(\'EXISTS\', lock, KEYS[key + 1]) > 0, ARGV[arg + 3] ~= \'0\'\n' +
      'if now or isContended or wantsTokens then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'if wantsTokens and not takeTokens then\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local nextToken\n' +
      'takeTokens = function(key, arg)\n' +
      'local count = tonumber(ARGV[arg])\n' +
      'if count == 0 then return 0 end\n' +
      'if ownsTokens then return reserveTokens(KEYS[key + keysOfItem], count) end\n' +
      'if not nextToken then\n' +
      'local ahead = count\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'nextToken = reserveTokens(KEYS[1], ahead)\n' +
      'end\n' +
      'if type(nextToken) == \'string\' then return nextToken end\n' +
      'nextToken = nextToken + count\n' +
      'return nextToken - count\n' +
      'end\n' +
      'end\n' +
      'if now >= ARGV[arg + 2] + 0 then\n' +
      'answer = -1\n' +
      'elseif isContended then\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local WAIT_MS = 300000\n' +
      'local QUEUE_TTL_MS = \'3600000\'\n' +
      'local function memberOf(arg)\n' +
      'return ARGV[arg]\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local id, queue, times = ARGV[arg], KEYS[at + 1], KEYS[at + 2]\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then ask = ask .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3] end\n' +
      'call(\'HSET\', KEYS[at + 3], id, ask)\n' +
      'call(\'PEXPIRE\', KEYS[at + 3], QUEUE_TTL_MS)\n' +
      'if call(\'ZSCORE\', times, id) then return end\n' +
      'local last = call(\'LINDEX\', queue, \'-1\')\n' +
      'local before = last and call(\'ZSCORE\', times, last) or now + math.max(call(\'PTTL\', KEYS[at]), 0)\n' +
      'call(\'ZADD\', times, string.format(\'%.0f\', math.max(before, now) + WAIT_MS), id)\n' +
      'call(\'RPUSH\', queue, id)\n' +
      'call(\'PEXPIRE\', times, QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', queue, QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, id)\n' +
      'local queue, times = KEYS[at + 1], KEYS[at + 2]\n' +
      'call(\'HDEL\', KEYS[at + 3], id)\n' +
      'local time = call(\'ZSCORE\', times, id)\n' +
      'if not time then return end\n' +
      'call(\'ZREM\', times, id)\n' +
      'call(\'LREM\', queue, \'1\', id)\n' +
      'local unused = math.min(time - now, WAIT_MS)\n' +
      'if unused <= 0 then return end\n' +
      'for _, later in ipairs(call(\'ZRANGEBYSCORE\', times, \'(\' .. time, \'+inf\')) do\n' +
      'call(\'ZINCRBY\', times, string.format(\'%.0f\', -unused), later)\n' +
      'end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'dequeue(at, ARGV[arg])\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 3], head)\n' +
      'local rest\n' +
      'if ask then\n' +
      'rest = string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'else\n' +
      'rest = (call(\'ZSCORE\', KEYS[at + 2], head) or 0) - now\n' +
      'end\n' +
      'if rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'dequeue(at, head)\n' +
      'if call(\'LINDEX\', KEYS[at + 1], \'0\') == head then call(\'LPOP\', KEYS[at + 1]) end\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function refusalOf(at, arg)\n' +
      'local lock = KEYS[at]\n' +
      'local function refuse(retry, holder)\n' +
      'if ARGV[arg + 4] ~= \'0\' then enqueue(at, arg) end\n' +
      'return { retry, holder }\n' +
      'end\n' +
      'if call(\'HLEN\', lock) == 0 then\n' +
      'local own = memberOf(arg)\n' +
      'local head, ask, rest = liveHead(at, own)\n' +
      'if head and head ~= own then\n' +
      'if hasLostHead then\n' +
      'local function wake(lock, head, ask)\n' +
      'if not head then return end\n' +
      'if ask then\n' +
      'local process, number = string.match(head, \'^([^:]*):(.*)$\')\n' +
      'local message = \'*\' .. number .. \' \' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'else\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_lock__channel:\' .. tag .. \':\' .. head, \'0\')\n' +
      'end\n' +
      'end\n' +
      'wake(lock, head, ask)\n' +
      'end\n' +
      'return refuse(rest + 1)\n' +
      'end\n' +
      'if head then dequeue(at, own) end\n' +
      'return nil\n' +
      'end\n' +
      'local state = call(\'HMGET\', lock, ARGV[arg], \'bedrock_revoked\', \'mode\')\n' +
      'if state[3] then return \'WRONGTYPE a read-write lock\' end\n' +
      'local ttl = call(\'PTTL\', lock)\n' +
      'if state[1] and not state[2] then\n' +
      'local token = takeTokens and takeTokens(at, arg + 3) or 0\n' +
      'if ttl < tonumber(ARGV[arg + 1]) then call(\'PEXPIRE\', lock, ARGV[arg + 1]) end\n' +
      'return token\n' +
      'end\n' +
      'local fields = call(\'HSCAN\', lock, \'0\')[2]\n' +
      'return refuse(ttl, fields[1] == \'bedrock_revoked\' and fields[3] or fields[1])\n' +
      'end\n' +
      'answer = protectedCall(refusalOf, key, arg)\n' +
      'end\n' +
      'if answer == nil then\n' +
      'answer = takeTokens and takeTokens(key, arg + 3) or 0\n' +
      'if type(answer) == \'number\' then\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIRE\', lock, lease)\n' +
      'end\n' +
      'end\n' +
      'else\n' +
      'answer = 0\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIREAT\', lock, ARGV[arg + 2])\n' +
      'if call(\'PEXPIRE\', lock, lease) == 0 then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'answer = -1\n' +
      'end\n' +
      'end\n' +
      'if items == 1 and not now then return answer end\n' +
      'reply = reply or { 0, answer }\n' +
      'reply[item + 2] = answer\n' +
      'end\n' +
      'reply = reply or {}\n' +
      'reply[1] = now or 0\n' +
      'return reply',
    sha1: '7dd7bf7c060b147dc0ce5805ea67f7a99cd3873b',
    sha1InCluster: '76a8fda2be2a5af8b2626270bba97837b7dfb80d',
  },
  /** fair-revoke-4.lua */
  fairRevoke: {
    source:
      'local call = redis.call\n' +
      'local lock = KEYS[1]\n' +
      'local holders = call(\'HKEYS\', lock)\n' +
      'if #holders == 0 then return 0 end\n' +
      'if call(\'HEXISTS\', lock, \'mode\') == 1 then return redis.error_reply(\'WRONGTYPE a read-write lock\') end\n' +
      'if ARGV[1] == \'now\' then\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local WAIT_MS = 300000\n' +
      'local QUEUE_TTL_MS = \'3600000\'\n' +
      'local function memberOf(arg)\n' +
      'return ARGV[arg]\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local id, queue, times = ARGV[arg], KEYS[at + 1], KEYS[at + 2]\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then ask = ask .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3] end\n' +
      'call(\'HSET\', KEYS[at + 3], id, ask)\n' +
      'call(\'PEXPIRE\', KEYS[at + 3], QUEUE_TTL_MS)\n' +
      'if call(\'ZSCORE\', times, id) then return end\n' +
      'local last = call(\'LINDEX\', queue, \'-1\')\n' +
      'local before = last and call(\'ZSCORE\', times, last) or now + math.max(call(\'PTTL\', KEYS[at]), 0)\n' +
      'call(\'ZADD\', times, string.format(\'%.0f\', math.max(before, now) + WAIT_MS), id)\n' +
      'call(\'RPUSH\', queue, id)\n' +
      'call(\'PEXPIRE\', times, QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', queue, QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, id)\n' +
      'local queue, times = KEYS[at + 1], KEYS[at + 2]\n' +
      'call(\'HDEL\', KEYS[at + 3], id)\n' +
      'local time = call(\'ZSCORE\', times, id)\n' +
      'if not time then return end\n' +
      'call(\'ZREM\', times, id)\n' +
      'call(\'LREM\', queue, \'1\', id)\n' +
      'local unused = math.min(time - now, WAIT_MS)\n' +
      'if unused <= 0 then return end\n' +
      'for _, later in ipairs(call(\'ZRANGEBYSCORE\', times, \'(\' .. time, \'+inf\')) do\n' +
      'call(\'ZINCRBY\', times, string.format(\'%.0f\', -unused), later)\n' +
      'end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'dequeue(at, ARGV[arg])\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 3], head)\n' +
      'local rest\n' +
      'if ask then\n' +
      'rest = string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'else\n' +
      'rest = (call(\'ZSCORE\', KEYS[at + 2], head) or 0) - now\n' +
      'end\n' +
      'if rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'dequeue(at, head)\n' +
      'if call(\'LINDEX\', KEYS[at + 1], \'0\') == head then call(\'LPOP\', KEYS[at + 1]) end\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function wake(lock, head, ask)\n' +
      'if not head then return end\n' +
      'if ask then\n' +
      'local process, number = string.match(head, \'^([^:]*):(.*)$\')\n' +
      'local message = \'*\' .. number .. \' \' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'else\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_lock__channel:\' .. tag .. \':\' .. head, \'0\')\n' +
      'end\n' +
      'end\n' +
      'call(\'DEL\', lock)\n' +
      'local head, ask = liveHead(1)\n' +
      'wake(lock, head, ask)\n' +
      'else\n' +
      'call(\'HSET\', lock, \'bedrock_revoked\', \'1\')\n' +
      'end\n' +
      'for _, holder in ipairs(holders) do\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. string.gsub(holder, \':.*$\', \'\'), \'!\' .. lock)\n' +
      'end\n' +
      'return 1',
    sha1: '47aada944daec3de67da85393ff0fe49e3a12952',
    sha1InCluster: 'e105e2debf4c9e9786e96e9fb5b7259e168ae5ca',
  },
  /** fair-withdraw-n.lua */
  fairWithdrawN: {
    source:
      'local keysOfItem = 4\n' +
      'local call, KEYS, ARGV = redis.call, KEYS, ARGV\n' +
      'local items = #ARGV / 3\n' +
      'local keysPerItem = (#KEYS - 1) / items\n' +
      'local reply\n' +
      'for item = 0, items - 1 do\n' +
      'local at, arg = 2 + item * keysPerItem, 1 + item * 3\n' +
      'local lock, isFreed, ended = KEYS[at], false, nil\n' +
      'if ARGV[arg + 1] == \'0\' then\n' +
      'ended = redis.pcall(\'HDEL\', lock, ARGV[arg])\n' +
      'isFreed = ended == 1\n' +
      'if not isFreed and ended ~= 0 then ended = ended.err end\n' +
      'else\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function shorten(at, arg)\n' +
      'local lock, ms = KEYS[at], ARGV[arg + 1]\n' +
      'if call(\'HEXISTS\', lock, ARGV[arg]) == 0 then return 0 end\n' +
      'local ttl = call(\'PTTL\', lock)\n' +
      'if ttl < 0 or ttl > tonumber(ms) then call(\'PEXPIRE\', lock, ms) end\n' +
      'return 1\n' +
      'end\n' +
      'ended = protectedCall(shorten, at, arg)\n' +
      'end\n' +
      'if ended == 0 or ended == 1 then\n' +
      'if call(\'EXISTS\', lock, KEYS[at + 1]) > 0 then\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function wake(lock, head, ask)\n' +
      'if not head then return end\n' +
      'if ask then\n' +
      'local process, number = string.match(head, \'^([^:]*):(.*)$\')\n' +
      'local message = \'*\' .. number .. \' \' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'else\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_lock__channel:\' .. tag .. \':\' .. head, \'0\')\n' +
      'end\n' +
      'end\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local WAIT_MS = 300000\n' +
      'local QUEUE_TTL_MS = \'3600000\'\n' +
      'local function memberOf(arg)\n' +
      'return ARGV[arg]\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local id, queue, times = ARGV[arg], KEYS[at + 1], KEYS[at + 2]\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then ask = ask .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3] end\n' +
      'call(\'HSET\', KEYS[at + 3], id, ask)\n' +
      'call(\'PEXPIRE\', KEYS[at + 3], QUEUE_TTL_MS)\n' +
      'if call(\'ZSCORE\', times, id) then return end\n' +
      'local last = call(\'LINDEX\', queue, \'-1\')\n' +
      'local before = last and call(\'ZSCORE\', times, last) or now + math.max(call(\'PTTL\', KEYS[at]), 0)\n' +
      'call(\'ZADD\', times, string.format(\'%.0f\', math.max(before, now) + WAIT_MS), id)\n' +
      'call(\'RPUSH\', queue, id)\n' +
      'call(\'PEXPIRE\', times, QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', queue, QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, id)\n' +
      'local queue, times = KEYS[at + 1], KEYS[at + 2]\n' +
      'call(\'HDEL\', KEYS[at + 3], id)\n' +
      'local time = call(\'ZSCORE\', times, id)\n' +
      'if not time then return end\n' +
      'call(\'ZREM\', times, id)\n' +
      'call(\'LREM\', queue, \'1\', id)\n' +
      'local unused = math.min(time - now, WAIT_MS)\n' +
      'if unused <= 0 then return end\n' +
      'for _, later in ipairs(call(\'ZRANGEBYSCORE\', times, \'(\' .. time, \'+inf\')) do\n' +
      'call(\'ZINCRBY\', times, string.format(\'%.0f\', -unused), later)\n' +
      'end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'dequeue(at, ARGV[arg])\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 3], head)\n' +
      'local rest\n' +
      'if ask then\n' +
      'rest = string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'else\n' +
      'rest = (call(\'ZSCORE\', KEYS[at + 2], head) or 0) - now\n' +
      'end\n' +
      'if rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'dequeue(at, head)\n' +
      'if call(\'LINDEX\', KEYS[at + 1], \'0\') == head then call(\'LPOP\', KEYS[at + 1]) end\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local function pushGrant(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserveTokens(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIRE\', lock, lease)\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function serveNext(at, head, ask)\n' +
      'local lease, tokens = string.match(head and ask or \'\', \' (%d+) (%d+)$\')\n' +
      'if lease and pushGrant(at, head, lease, tokens) then dequeue(at, head) else wake(KEYS[at], head, ask) end\n' +
      'end\n' +
      'local function afterWithdraw(at, arg, isFreed)\n' +
      'local lock = KEYS[at]\n' +
      'if isFreed then\n' +
      'call(\'HDEL\', lock, \'bedrock_revoked\')\n' +
      'isFreed = call(\'EXISTS\', lock) == 0\n' +
      'end\n' +
      'local wasHead = call(\'LINDEX\', KEYS[at + 1], \'0\') == memberOf(arg)\n' +
      'dequeueWithdrawn(at, arg)\n' +
      'local head, ask = liveHead(at)\n' +
      'if isFreed or (wasHead and call(\'EXISTS\', lock) == 0) then serveNext(at, head, ask) end\n' +
      'end\n' +
      'ended = protectedCall(afterWithdraw, at, arg, isFreed) or ended\n' +
      'elseif isFreed then\n' +
      'end\n' +
      'end\n' +
      'if items == 1 then return ended end\n' +
      'reply = reply or {}\n' +
      'reply[item + 1] = ended\n' +
      'end\n' +
      'return reply',
    sha1: '212b762dc60159c708d4dbc3139462d5d179328a',
    sha1InCluster: '3ab0aacb03978a40d596283b3ffaa71899b70985',
  },
  /** inspect-1.lua */
  inspect: {
    source:
      'local call = redis.call\n' +
      'local reply = call(\'HGETALL\', KEYS[1])\n' +
      'table.insert(reply, 1, call(\'PTTL\', KEYS[1]))\n' +
      'return reply',
    sha1: '08177227f44e9c63aadd21f133d17268b273151a',
    sha1InCluster: '08177227f44e9c63aadd21f133d17268b273151a',
  },
  /** latch-delete-2.lua */
  latchDelete: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local storedAnswer = call(\'GET\', KEYS[#KEYS])\n' +
      'if storedAnswer then return { now, storedAnswer, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function storeAnswer(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'if not text then return { now, 0 } end\n' +
      'call(\'DEL\', KEYS[1])\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, ARGV[3], \'0\')\n' +
      'return storeAnswer(count)',
    sha1: '6c1a5f7eeaca7df9a2907ea2ff4c6ce6d9da58f6',
    sha1InCluster: 'bc971a98716e46b5ff9f76d826fc4c3552d7f29f',
  },
  /** latch-down-2.lua */
  latchDown: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local storedAnswer = call(\'GET\', KEYS[#KEYS])\n' +
      'if storedAnswer then return { now, storedAnswer, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function storeAnswer(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'if not text then return { now, 0 } end\n' +
      'if count > tonumber(ARGV[3]) then return storeAnswer(call(\'DECRBY\', KEYS[1], ARGV[3])) end\n' +
      'call(\'DEL\', KEYS[1])\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, ARGV[4], \'0\') end\n' +
      'return storeAnswer(0)',
    sha1: '4dcd8a04892792de9df024e2aa737f06b7ec6f32',
    sha1InCluster: '87e8c173b802547c33a0d9f57c8d5df81e7f0067',
  },
  /** lease-semaphore-claim-n.lua */
  leaseSemaphoreClaimN: {
    source:
      'local keysOfItem = 4\n' +
      'local call, KEYS, ARGV = redis.call, KEYS, ARGV\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local args, keys = #ARGV - 1, #KEYS\n' +
      'if args % 5 == 3 then\n' +
      'local guard, runId = call(\'GET\', KEYS[keys]), ARGV[args - 2]\n' +
      'if guard ~= runId then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'local longest, prefix = ARGV[args - 1], runId .. \':\'\n' +
      'local over = guard and string.sub(guard, 1, #prefix) == prefix and tonumber(string.sub(guard, #prefix + 1))\n' +
      'if not guard and ARGV[args] == \'1\' then over = now end\n' +
      'if not over or over > now + longest then\n' +
      'over = now + longest\n' +
      'call(\'SET\', KEYS[keys], string.format(\'%s%.0f\', prefix, over))\n' +
      'end\n' +
      'if over > now then return redis.error_reply(string.format(\'QUARANTINED %.0f\', over - now)) end\n' +
      'call(\'SET\', KEYS[keys], runId)\n' +
      'end\n' +
      'args, keys = args - 3, keys - 1\n' +
      'end\n' +
      'local items = args / 5\n' +
      'local keysPerItem = (keys - 1) / items\n' +
      'local ownsTokens = keysPerItem > keysOfItem\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function fits(at, units, capacity)\n' +
      'return (call(\'HGET\', KEYS[at], \'held\') or 0) + units <= tonumber(capacity)\n' +
      'end\n' +
      'local function setLeaseEnd(at, id, ms)\n' +
      'call(\'ZADD\', KEYS[at + 3], string.format(\'%.0f\', now + ms), id)\n' +
      'end\n' +
      'local function expireWithLastLease(at)\n' +
      'local last = call(\'ZRANGE\', KEYS[at + 3], \'-1\', \'-1\', \'WITHSCORES\')[2]\n' +
      'if not last then return end\n' +
      'call(\'PEXPIREAT\', KEYS[at + 3], last)\n' +
      'call(\'PEXPIREAT\', KEYS[at], last)\n' +
      'end\n' +
      'local function grant(at, id, units, ms)\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'call(\'HSET\', KEYS[at], id, units)\n' +
      'call(\'HINCRBY\', KEYS[at], \'held\', units)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'local function extend(at, id, ms)\n' +
      'if tonumber(call(\'ZSCORE\', KEYS[at + 3], id)) >= now + ms then return end\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'local function release(at, id)\n' +
      'if call(\'ZREM\', KEYS[at + 3], id) == 0 then return 0 end\n' +
      'local units = string.match(call(\'HGET\', KEYS[at], id) or \'0\', \'^%d+\')\n' +
      'call(\'HDEL\', KEYS[at], id)\n' +
      'if call(\'HINCRBY\', KEYS[at], \'held\', -units) <= 0 then call(\'DEL\', KEYS[at]) end\n' +
      'return 1\n' +
      'end\n' +
      'local function reclaim(at)\n' +
      'local ended = call(\'ZRANGEBYSCORE\', KEYS[at + 3], \'-inf\', now)\n' +
      'for _, id in ipairs(ended) do release(at, id) end\n' +
      'return #ended\n' +
      'end\n' +
      'local function claim(at, arg)\n' +
      'local id, lease = ARGV[arg], ARGV[arg + 1]\n' +
      'local units, capacity = string.match(ARGV[arg + 3], \'^(%d+) (%d+)$\')\n' +
      'local hasReclaimed = reclaim(at) > 0\n' +
      'local own = call(\'HGET\', KEYS[at], id)\n' +
      'if own == units then\n' +
      'extend(at, id, lease)\n' +
      'return 0\n' +
      'end\n' +
      'local process = memberOf(arg)\n' +
      'local head, _, rest = liveHead(at, process)\n' +
      'local isGranted = (not head or head == process) and not own and fits(at, units, capacity)\n' +
      'if isGranted then\n' +
      'if head then dequeue(at, process) end\n' +
      'grant(at, id, units, lease)\n' +
      'elseif ARGV[arg + 4] ~= \'0\' then\n' +
      'enqueue(at, arg)\n' +
      'end\n' +
      'if hasReclaimed or hasLostHead or (head and isGranted) then\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function publishToHead(at, process, message)\n' +
      'local lock = string.match(KEYS[at], \'^bedrock_units:{(.*)}$\') or string.gsub(KEYS[at], \'^bedrock_units::\', \'\')\n' +
      'message = message .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local function serveQueue(at)\n' +
      'local head, ask = liveHead(at)\n' +
      'while head do\n' +
      'local number, lease, units, capacity = string.match(ask, \' (%d+) (%d+) (%d+) (%d+)$\')\n' +
      'if not number then return publishToHead(at, head, \'+\') end\n' +
      'if not fits(at, units, capacity) then return end\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'grant(at, head .. \':\' .. number, units, lease)\n' +
      'dequeue(at, head)\n' +
      'publishToHead(at, head, string.format(\'=%s 0 0 %d %.0f \', number, lease, now))\n' +
      'head, ask = liveHead(at)\n' +
      'end\n' +
      'end\n' +
      'serveQueue(at)\n' +
      'end\n' +
      'if isGranted then return 0 end\n' +
      'local first = call(\'ZRANGE\', KEYS[at + 3], \'0\', \'0\', \'WITHSCORES\')\n' +
      'return first[1] and { first[2] - now, first[1] } or { rest + 1 }\n' +
      'end\n' +
      'local reply = { now }\n' +
      'for item = 0, items - 1 do\n' +
      'local at, arg = 2 + item * keysPerItem, 1 + item * 5\n' +
      'reply[item + 2] = now >= ARGV[arg + 2] + 0 and -1 or protectedCall(claim, at, arg)\n' +
      'end\n' +
      'return reply',
    sha1: 'c32d7bc6e8bad95509b79cc5ad22b62552142b1b',
    sha1InCluster: '07dc7d2e21ede5e06259d3af41489948b7e2ee83',
  },
  /** lease-semaphore-inspect-4.lua */
  leaseSemaphoreInspect: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local reply = {}\n' +
      'local leases = call(\'ZRANGEBYSCORE\', KEYS[4], string.format(\'(%.0f\', now), \'+inf\', \'WITHSCORES\')\n' +
      'for at = 1, #leases, 2 do\n' +
      'reply[#reply + 1] = leases[at]\n' +
      'reply[#reply + 1] = leases[at + 1] - now\n' +
      'reply[#reply + 1] = call(\'HGET\', KEYS[1], leases[at]) or \'0\'\n' +
      'end\n' +
      'return reply',
    sha1: '7991080d5bb96984d91c74f5bd5f6e055b2bdea8',
    sha1InCluster: '7991080d5bb96984d91c74f5bd5f6e055b2bdea8',
  },
  /** lease-semaphore-renew-n.lua */
  leaseSemaphoreRenewN: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function fits(at, units, capacity)\n' +
      'return (call(\'HGET\', KEYS[at], \'held\') or 0) + units <= tonumber(capacity)\n' +
      'end\n' +
      'local function setLeaseEnd(at, id, ms)\n' +
      'call(\'ZADD\', KEYS[at + 3], string.format(\'%.0f\', now + ms), id)\n' +
      'end\n' +
      'local function expireWithLastLease(at)\n' +
      'local last = call(\'ZRANGE\', KEYS[at + 3], \'-1\', \'-1\', \'WITHSCORES\')[2]\n' +
      'if not last then return end\n' +
      'call(\'PEXPIREAT\', KEYS[at + 3], last)\n' +
      'call(\'PEXPIREAT\', KEYS[at], last)\n' +
      'end\n' +
      'local function grant(at, id, units, ms)\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'call(\'HSET\', KEYS[at], id, units)\n' +
      'call(\'HINCRBY\', KEYS[at], \'held\', units)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'local function extend(at, id, ms)\n' +
      'if tonumber(call(\'ZSCORE\', KEYS[at + 3], id)) >= now + ms then return end\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'local function release(at, id)\n' +
      'if call(\'ZREM\', KEYS[at + 3], id) == 0 then return 0 end\n' +
      'local units = string.match(call(\'HGET\', KEYS[at], id) or \'0\', \'^%d+\')\n' +
      'call(\'HDEL\', KEYS[at], id)\n' +
      'if call(\'HINCRBY\', KEYS[at], \'held\', -units) <= 0 then call(\'DEL\', KEYS[at]) end\n' +
      'return 1\n' +
      'end\n' +
      'local function reclaim(at)\n' +
      'local ended = call(\'ZRANGEBYSCORE\', KEYS[at + 3], \'-inf\', now)\n' +
      'for _, id in ipairs(ended) do release(at, id) end\n' +
      'return #ended\n' +
      'end\n' +
      'local function renew(at, arg)\n' +
      'local id = ARGV[arg]\n' +
      'local till, units = call(\'ZSCORE\', KEYS[at + 3], id), call(\'HGET\', KEYS[at], id)\n' +
      'if not till or not units or tonumber(till) <= now then return 0 end\n' +
      'if string.find(units, \'revoked\', 1, true) then return 2 end\n' +
      'extend(at, id, ARGV[arg + 1])\n' +
      'return 1\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 0, #ARGV / 2 - 1 do\n' +
      'reply[item + 1] = protectedCall(renew, 1 + item * 4, 1 + item * 2)\n' +
      'end\n' +
      'return reply',
    sha1: '4dc9c218e184017fa53879d2cf07d9c0978932c9',
    sha1InCluster: '4dc9c218e184017fa53879d2cf07d9c0978932c9',
  },
  /** lease-semaphore-revoke-4.lua */
  leaseSemaphoreRevoke: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function fits(at, units, capacity)\n' +
      'return (call(\'HGET\', KEYS[at], \'held\') or 0) + units <= tonumber(capacity)\n' +
      'end\n' +
      'local function setLeaseEnd(at, id, ms)\n' +
      'call(\'ZADD\', KEYS[at + 3], string.format(\'%.0f\', now + ms), id)\n' +
      'end\n' +
      'local function expireWithLastLease(at)\n' +
      'local last = call(\'ZRANGE\', KEYS[at + 3], \'-1\', \'-1\', \'WITHSCORES\')[2]\n' +
      'if not last then return end\n' +
      'call(\'PEXPIREAT\', KEYS[at + 3], last)\n' +
      'call(\'PEXPIREAT\', KEYS[at], last)\n' +
      'end\n' +
      'local function grant(at, id, units, ms)\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'call(\'HSET\', KEYS[at], id, units)\n' +
      'call(\'HINCRBY\', KEYS[at], \'held\', units)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'local function extend(at, id, ms)\n' +
      'if tonumber(call(\'ZSCORE\', KEYS[at + 3], id)) >= now + ms then return end\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'local function release(at, id)\n' +
      'if call(\'ZREM\', KEYS[at + 3], id) == 0 then return 0 end\n' +
      'local units = string.match(call(\'HGET\', KEYS[at], id) or \'0\', \'^%d+\')\n' +
      'call(\'HDEL\', KEYS[at], id)\n' +
      'if call(\'HINCRBY\', KEYS[at], \'held\', -units) <= 0 then call(\'DEL\', KEYS[at]) end\n' +
      'return 1\n' +
      'end\n' +
      'local function reclaim(at)\n' +
      'local ended = call(\'ZRANGEBYSCORE\', KEYS[at + 3], \'-inf\', now)\n' +
      'for _, id in ipairs(ended) do release(at, id) end\n' +
      'return #ended\n' +
      'end\n' +
      'reclaim(1)\n' +
      'local ids = call(\'ZRANGE\', KEYS[4], \'0\', \'-1\')\n' +
      'if #ids == 0 then return 0 end\n' +
      'if ARGV[1] == \'now\' then\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function publishToHead(at, process, message)\n' +
      'local lock = string.match(KEYS[at], \'^bedrock_units:{(.*)}$\') or string.gsub(KEYS[at], \'^bedrock_units::\', \'\')\n' +
      'message = message .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local function serveQueue(at)\n' +
      'local head, ask = liveHead(at)\n' +
      'while head do\n' +
      'local number, lease, units, capacity = string.match(ask, \' (%d+) (%d+) (%d+) (%d+)$\')\n' +
      'if not number then return publishToHead(at, head, \'+\') end\n' +
      'if not fits(at, units, capacity) then return end\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'grant(at, head .. \':\' .. number, units, lease)\n' +
      'dequeue(at, head)\n' +
      'publishToHead(at, head, string.format(\'=%s 0 0 %d %.0f \', number, lease, now))\n' +
      'head, ask = liveHead(at)\n' +
      'end\n' +
      'end\n' +
      'call(\'DEL\', KEYS[1], KEYS[4])\n' +
      'serveQueue(1)\n' +
      'else\n' +
      'for _, id in ipairs(ids) do\n' +
      'call(\'HSET\', KEYS[1], id, string.match(call(\'HGET\', KEYS[1], id), \'^%d+\') .. \' revoked\')\n' +
      'end\n' +
      'end\n' +
      'local at, isNotified = 1, {}\n' +
      'local lock = string.match(KEYS[at], \'^bedrock_units:{(.*)}$\') or string.gsub(KEYS[at], \'^bedrock_units::\', \'\')\n' +
      'for _, id in ipairs(ids) do\n' +
      'local process = string.match(id, \'^[^:]*\')\n' +
      'if not isNotified[process] then call(\'PUBLISH\', \'bedrock_wake:\' .. process, \'!\' .. lock) end\n' +
      'isNotified[process] = true\n' +
      'end\n' +
      'return 1',
    sha1: '9d6b9b6b6da8e722a219ce0758534a0e5fa63b07',
    sha1InCluster: '6faf44ad2febe6d37184877ee5ee80dd6c8c6724',
  },
  /** lease-semaphore-withdraw-n.lua */
  leaseSemaphoreWithdrawN: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function fits(at, units, capacity)\n' +
      'return (call(\'HGET\', KEYS[at], \'held\') or 0) + units <= tonumber(capacity)\n' +
      'end\n' +
      'local function setLeaseEnd(at, id, ms)\n' +
      'call(\'ZADD\', KEYS[at + 3], string.format(\'%.0f\', now + ms), id)\n' +
      'end\n' +
      'local function expireWithLastLease(at)\n' +
      'local last = call(\'ZRANGE\', KEYS[at + 3], \'-1\', \'-1\', \'WITHSCORES\')[2]\n' +
      'if not last then return end\n' +
      'call(\'PEXPIREAT\', KEYS[at + 3], last)\n' +
      'call(\'PEXPIREAT\', KEYS[at], last)\n' +
      'end\n' +
      'local function grant(at, id, units, ms)\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'call(\'HSET\', KEYS[at], id, units)\n' +
      'call(\'HINCRBY\', KEYS[at], \'held\', units)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'local function extend(at, id, ms)\n' +
      'if tonumber(call(\'ZSCORE\', KEYS[at + 3], id)) >= now + ms then return end\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'local function release(at, id)\n' +
      'if call(\'ZREM\', KEYS[at + 3], id) == 0 then return 0 end\n' +
      'local units = string.match(call(\'HGET\', KEYS[at], id) or \'0\', \'^%d+\')\n' +
      'call(\'HDEL\', KEYS[at], id)\n' +
      'if call(\'HINCRBY\', KEYS[at], \'held\', -units) <= 0 then call(\'DEL\', KEYS[at]) end\n' +
      'return 1\n' +
      'end\n' +
      'local function reclaim(at)\n' +
      'local ended = call(\'ZRANGEBYSCORE\', KEYS[at + 3], \'-inf\', now)\n' +
      'for _, id in ipairs(ended) do release(at, id) end\n' +
      'return #ended\n' +
      'end\n' +
      'local function shorten(at, id, ms)\n' +
      'local till = call(\'ZSCORE\', KEYS[at + 3], id)\n' +
      'if not till then return 0 end\n' +
      'if tonumber(till) > now + ms then\n' +
      'setLeaseEnd(at, id, ms)\n' +
      'expireWithLastLease(at)\n' +
      'end\n' +
      'return 1\n' +
      'end\n' +
      'local function withdraw(at, arg)\n' +
      'reclaim(at)\n' +
      'local ended\n' +
      'if ARGV[arg + 1] == \'0\' then\n' +
      'ended = release(at, ARGV[arg])\n' +
      'if ended == 1 then expireWithLastLease(at) end\n' +
      'else\n' +
      'ended = shorten(at, ARGV[arg], ARGV[arg + 1])\n' +
      'end\n' +
      'if call(\'EXISTS\', KEYS[at + 1]) == 1 then\n' +
      'dequeueWithdrawn(at, arg)\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function publishToHead(at, process, message)\n' +
      'local lock = string.match(KEYS[at], \'^bedrock_units:{(.*)}$\') or string.gsub(KEYS[at], \'^bedrock_units::\', \'\')\n' +
      'message = message .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local function serveQueue(at)\n' +
      'local head, ask = liveHead(at)\n' +
      'while head do\n' +
      'local number, lease, units, capacity = string.match(ask, \' (%d+) (%d+) (%d+) (%d+)$\')\n' +
      'if not number then return publishToHead(at, head, \'+\') end\n' +
      'if not fits(at, units, capacity) then return end\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'grant(at, head .. \':\' .. number, units, lease)\n' +
      'dequeue(at, head)\n' +
      'publishToHead(at, head, string.format(\'=%s 0 0 %d %.0f \', number, lease, now))\n' +
      'head, ask = liveHead(at)\n' +
      'end\n' +
      'end\n' +
      'serveQueue(at)\n' +
      'end\n' +
      'return ended\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 0, #ARGV / 3 - 1 do\n' +
      'reply[item + 1] = protectedCall(withdraw, 2 + item * 4, 1 + item * 3)\n' +
      'end\n' +
      'return #reply == 1 and reply[1] or reply',
    sha1: '55032470244cccb1c9e268900f4635f249eab7ea',
    sha1InCluster: '44eced41b694e82edfc0e73cb39d399929162de9',
  },
  /** raise-token-2.lua */
  raiseToken: {
    source:
      'local call = redis.call\n' +
      'if call(\'HEXISTS\', KEYS[1], ARGV[1]) == 0 then return 0 end\n' +
      'local last = tonumber(call(\'GET\', KEYS[2]) or \'\')\n' +
      'local isBehind = not last or last < tonumber(ARGV[2]) or last >= 9007199254740992\n' +
      'if isBehind then call(\'SET\', KEYS[2], ARGV[2]) end\n' +
      'return 1',
    sha1: '4f523c228db1b7c27592173322a3daa3fbae5344',
    sha1InCluster: '4f523c228db1b7c27592173322a3daa3fbae5344',
  },
  /** record-abandon-1.lua */
  recordAbandon: {
    source:
      'local owner, value = unpack(redis.call(\'HMGET\', KEYS[1], \'owner\', \'value\'))\n' +
      'if owner ~= ARGV[1] or value then return 0 end\n' +
      'return redis.call(\'DEL\', KEYS[1])',
    sha1: 'f27d83bd66dacb3e172b8fdb20824d38d972acda',
    sha1InCluster: 'f27d83bd66dacb3e172b8fdb20824d38d972acda',
  },
  /** record-begin-1.lua */
  recordBegin: {
    source:
      'local call = redis.call\n' +
      'local owner, print, value = unpack(call(\'HMGET\', KEYS[1], \'owner\', \'print\', \'value\'))\n' +
      'if owner and (owner ~= ARGV[1] or value) then\n' +
      'return { owner, print, call(\'PTTL\', KEYS[1]), value }\n' +
      'end\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'if now > ARGV[4] + 0 then return now end\n' +
      'call(\'HSET\', KEYS[1], \'owner\', ARGV[1], \'print\', ARGV[2])\n' +
      'call(\'PEXPIRE\', KEYS[1], ARGV[3])\n' +
      'return 1',
    sha1: '381f35ecb550dfe29ece394df5191cdc9e86e715',
    sha1InCluster: '381f35ecb550dfe29ece394df5191cdc9e86e715',
  },
  /** record-complete-1.lua */
  recordComplete: {
    source:
      'local owner, value = unpack(redis.call(\'HMGET\', KEYS[1], \'owner\', \'value\'))\n' +
      'if owner ~= ARGV[1] then return 0 end\n' +
      'if value then return value == ARGV[2] and 1 or 0 end\n' +
      'redis.call(\'HSET\', KEYS[1], \'value\', ARGV[2])\n' +
      'return redis.call(\'PEXPIRE\', KEYS[1], ARGV[3])',
    sha1: 'e34f403f1b20c5e0cad816ec631ebdccb6c81f66',
    sha1InCluster: 'e34f403f1b20c5e0cad816ec631ebdccb6c81f66',
  },
  /** record-read-1.lua */
  recordRead: {
    source:
      'local owner, print, value = unpack(redis.call(\'HMGET\', KEYS[1], \'owner\', \'print\', \'value\'))\n' +
      'if not owner then return 0 end\n' +
      'return { owner, print, redis.call(\'PTTL\', KEYS[1]), value }',
    sha1: 'bbef033c2a41688d1b7a9e1cb99d72060bad3eda',
    sha1InCluster: 'bbef033c2a41688d1b7a9e1cb99d72060bad3eda',
  },
  /** record-remove-1.lua */
  recordRemove: {
    source:
      'if not redis.call(\'HGET\', KEYS[1], \'owner\') then return 0 end\n' +
      'return redis.call(\'DEL\', KEYS[1])',
    sha1: '1798c39b69286a93c7f06eeded39d05db123ecc5',
    sha1InCluster: '1798c39b69286a93c7f06eeded39d05db123ecc5',
  },
  /** record-renew-1.lua */
  recordRenew: {
    source:
      'local owner, value = unpack(redis.call(\'HMGET\', KEYS[1], \'owner\', \'value\'))\n' +
      'if owner ~= ARGV[1] or value then return 0 end\n' +
      'return redis.call(\'PEXPIRE\', KEYS[1], ARGV[2])',
    sha1: '126e44be3b33b1e03a8c182683b29bf0a48a3f0d',
    sha1InCluster: '126e44be3b33b1e03a8c182683b29bf0a48a3f0d',
  },
  /** renew-n.lua */
  renewN: {
    source:
      'local call = redis.call\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function renew(key, arg)\n' +
      'local lock, life = KEYS[key], ARGV[arg + 1]\n' +
      'local state = call(\'HMGET\', lock, ARGV[arg], \'bedrock_revoked\')\n' +
      'if not state[1] then return 0 end\n' +
      'if state[2] then return 2 end\n' +
      'if call(\'PTTL\', lock) < tonumber(life) then call(\'PEXPIRE\', lock, life) end\n' +
      'return 1\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 1, #KEYS do\n' +
      'reply[item] = protectedCall(renew, item, item * 2 - 1)\n' +
      'end\n' +
      'return reply',
    sha1: '2b17e0624680d09f8d28ccacccec3b0ec5905d08',
    sha1InCluster: '2b17e0624680d09f8d28ccacccec3b0ec5905d08',
  },
  /** revoke-3.lua */
  revoke: {
    source:
      'local call = redis.call\n' +
      'local lock = KEYS[1]\n' +
      'local holders = call(\'HKEYS\', lock)\n' +
      'if #holders == 0 then return 0 end\n' +
      'if call(\'HEXISTS\', lock, \'mode\') == 1 then return redis.error_reply(\'WRONGTYPE a read-write lock\') end\n' +
      'if ARGV[1] == \'now\' then\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function wake(lock, head)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_lock__channel:\' .. tag, head and \'00\' or \'0\')\n' +
      'end\n' +
      'call(\'DEL\', lock)\n' +
      'local head, ask = liveHead(1)\n' +
      'wake(lock, head, ask)\n' +
      'else\n' +
      'call(\'HSET\', lock, \'bedrock_revoked\', \'1\')\n' +
      'end\n' +
      'for _, holder in ipairs(holders) do\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. string.gsub(holder, \':.*$\', \'\'), \'!\' .. lock)\n' +
      'end\n' +
      'return 1',
    sha1: 'd1092f54f05fd4ea148444adb2f46431d8bf0177',
    sha1InCluster: 'd8e5701695e76cbd1ae030f8ebb086fbe51da4c1',
  },
  /** rw-annotate-n.lua */
  rwAnnotateN: {
    source:
      'local call = redis.call\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function annotate(key, arg)\n' +
      'local lock, id = KEYS[key], ARGV[arg]\n' +
      'for _, field in ipairs({ id, id .. \':write\' }) do\n' +
      'if call(\'HEXISTS\', lock, field) == 1 then\n' +
      'call(\'HSET\', lock, field, ARGV[arg + 1])\n' +
      'return 1\n' +
      'end\n' +
      'end\n' +
      'return 0\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 1, #KEYS do\n' +
      'reply[item] = protectedCall(annotate, item, item * 2 - 1)\n' +
      'end\n' +
      'return reply',
    sha1: 'abf276723610649d8055217ad7138c4a54281b63',
    sha1InCluster: 'abf276723610649d8055217ad7138c4a54281b63',
  },
  /** rw-claim-n.lua */
  rwClaimN: {
    source:
      'local keysOfItem = 3\n' +
      'local function isWriter(holder)\n' +
      'return string.sub(holder, -6) == \':write\'\n' +
      'end\n' +
      'local function idOf(holder)\n' +
      'return isWriter(holder) and string.sub(holder, 1, -7) or holder\n' +
      'end\n' +
      'local function holdKey(lock, holder, depth)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'return tag .. \':\' .. idOf(holder) .. \':rwlock_timeout:\' .. (depth or \'1\')\n' +
      'end\n' +
      'local call, KEYS, ARGV = redis.call, KEYS, ARGV\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local args, keys = #ARGV - 1, #KEYS\n' +
      'if args % 5 == 3 then\n' +
      'local guard, runId = call(\'GET\', KEYS[keys]), ARGV[args - 2]\n' +
      'if guard ~= runId then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'local longest, prefix = ARGV[args - 1], runId .. \':\'\n' +
      'local over = guard and string.sub(guard, 1, #prefix) == prefix and tonumber(string.sub(guard, #prefix + 1))\n' +
      'if not guard and ARGV[args] == \'1\' then over = now end\n' +
      'if not over or over > now + longest then\n' +
      'over = now + longest\n' +
      'call(\'SET\', KEYS[keys], string.format(\'%s%.0f\', prefix, over))\n' +
      'end\n' +
      'if over > now then return redis.error_reply(string.format(\'QUARANTINED %.0f\', over - now)) end\n' +
      'call(\'SET\', KEYS[keys], runId)\n' +
      'end\n' +
      'args, keys = args - 3, keys - 1\n' +
      'end\n' +
      'local items = args / 5\n' +
      'local keysPerItem = (keys - 1) / items\n' +
      'local ownsTokens = keysPerItem > keysOfItem\n' +
      'local reply, takeTokens\n' +
      'for item = 0, items - 1 do\n' +
      'local key, arg, answer = 2 + item * keysPerItem, 1 + item * 5, nil\n' +
      'local lock, holder, lease = KEYS[key], ARGV[arg], ARGV[arg + 1]\n' +
      'local isContended, wantsTokens = call(\'EXISTS\', lock, KEYS[key + 1]) > 0, ARGV[arg + 3] ~= \'0\'\n' +
      'if now or isContended or wantsTokens then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'if wantsTokens and not takeTokens then\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local nextToken\n' +
      'takeTokens = function(key, arg)\n' +
      'local count = tonumber(ARGV[arg])\n' +
      'if count == 0 then return 0 end\n' +
      'if ownsTokens then return reserveTokens(KEYS[key + keysOfItem], count) end\n' +
      'if not nextToken then\n' +
      'local ahead = count\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'nextToken = reserveTokens(KEYS[1], ahead)\n' +
      'end\n' +
      'if type(nextToken) == \'string\' then return nextToken end\n' +
      'nextToken = nextToken + count\n' +
      'return nextToken - count\n' +
      'end\n' +
      'end\n' +
      'if now >= ARGV[arg + 2] + 0 then\n' +
      'answer = -1\n' +
      'elseif isContended then\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function wake(lock, head, redissonMessage)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'if not redissonMessage then return end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_rwlock:\' .. tag, head and \'0\' .. redissonMessage or redissonMessage)\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local function pushGrant(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserveTokens(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, \'mode\', isWriter(holder) and \'write\' or \'read\', holder, \'1\')\n' +
      'if call(\'PTTL\', lock) < tonumber(lease) then call(\'PEXPIRE\', lock, lease) end\n' +
      'if not isWriter(holder) then call(\'SET\', holdKey(lock, holder), \'1\', \'PX\', lease) end\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function hasUnqueuedClients(lock)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'local listening = call(\'PUBSUB\', NUMSUB, \'redisson_rwlock:\' .. tag, \'bedrock_rwlock:\' .. tag)\n' +
      'return listening[2] > listening[4]\n' +
      'end\n' +
      'local function fits(mode, writes)\n' +
      'return not mode or (mode == \'read\' and not writes)\n' +
      'end\n' +
      'local function serveNext(at, mode, redissonMessage, asking)\n' +
      'local lock = KEYS[at]\n' +
      'local head, ask = liveHead(at, asking)\n' +
      'while head and head ~= asking and fits(mode, string.find(ask, \'^%d+ %d+:write\')) do\n' +
      'local number, lease, tokens = string.match(ask, \' (%S+) (%d+) (%d+)$\')\n' +
      'if not number or hasUnqueuedClients(lock) or not pushGrant(at, head .. \':\' .. number, lease, tokens) then\n' +
      'wake(lock, head, redissonMessage)\n' +
      'return mode\n' +
      'end\n' +
      'dequeue(at, head)\n' +
      'mode, redissonMessage = isWriter(number) and \'write\' or \'read\', nil\n' +
      'head, ask = liveHead(at, asking)\n' +
      'end\n' +
      'if not head and redissonMessage then wake(lock, nil, redissonMessage) end\n' +
      'return mode\n' +
      'end\n' +
      'local function extend(lock, holder, life)\n' +
      'if call(\'PTTL\', lock) < tonumber(life) then call(\'PEXPIRE\', lock, life) end\n' +
      'local hold = holdKey(lock, holder)\n' +
      'if not isWriter(holder) and call(\'PTTL\', hold) < tonumber(life) then call(\'PEXPIRE\', hold, life) end\n' +
      'end\n' +
      'local function refusalOf(at, arg)\n' +
      'local lock, holder, own = KEYS[at], ARGV[arg], memberOf(arg)\n' +
      'local writes = isWriter(holder)\n' +
      'local state = call(\'HMGET\', lock, \'mode\', holder)\n' +
      'local mode, mark = state[1], state[2] and call(\'GET\', holdKey(lock, holder))\n' +
      'if not mode and call(\'EXISTS\', lock) == 1 then return \'WRONGTYPE a mutex or another hash\' end\n' +
      'local function refuse(retry, by)\n' +
      'if ARGV[arg + 4] ~= \'0\' then enqueue(at, arg) end\n' +
      'return { retry, by }\n' +
      'end\n' +
      'if state[2] and mark ~= \'revoked\' and (mark or writes) then\n' +
      'extend(lock, holder, ARGV[arg + 1])\n' +
      'return takeTokens and takeTokens(at, arg + 3) or 0\n' +
      'end\n' +
      'if mark ~= \'revoked\' and fits(mode, writes) then\n' +
      'local head, _, rest = liveHead(at, own)\n' +
      'if head and head ~= own and hasLostHead then\n' +
      'mode = serveNext(at, mode, nil, own)\n' +
      'head, _, rest = liveHead(at, own)\n' +
      'end\n' +
      'if head and head ~= own then return refuse(rest + 1) end\n' +
      'if fits(mode, writes) then\n' +
      'if head then dequeue(at, own) end\n' +
      'if not writes then serveNext(at, \'read\') end\n' +
      'return nil\n' +
      'end\n' +
      'end\n' +
      'local fields = call(\'HSCAN\', lock, \'0\')[2]\n' +
      'local by = fields[1] == \'mode\' and fields[3] or fields[1]\n' +
      'return refuse(call(\'PTTL\', lock), by and idOf(by))\n' +
      'end\n' +
      'answer = protectedCall(refusalOf, key, arg)\n' +
      'end\n' +
      'if answer == nil then\n' +
      'answer = takeTokens and takeTokens(key, arg + 3) or 0\n' +
      'if type(answer) == \'number\' then\n' +
      'call(\'HSET\', lock, \'mode\', isWriter(holder) and \'write\' or \'read\', holder, \'1\')\n' +
      'if call(\'PTTL\', lock) < tonumber(lease) then call(\'PEXPIRE\', lock, lease) end\n' +
      'if not isWriter(holder) then call(\'SET\', holdKey(lock, holder), \'1\', \'PX\', lease) end\n' +
      'end\n' +
      'end\n' +
      'else\n' +
      'answer = 0\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIREAT\', lock, ARGV[arg + 2])\n' +
      'if call(\'PEXPIRE\', lock, lease) == 0 then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'answer = -1\n' +
      'end\n' +
      'end\n' +
      'if items == 1 and not now then return answer end\n' +
      'reply = reply or { 0, answer }\n' +
      'reply[item + 2] = answer\n' +
      'end\n' +
      'reply = reply or {}\n' +
      'reply[1] = now or 0\n' +
      'return reply',
    sha1: 'a7bd0670dedb80350c0a8d82a9e275b6b0defe0d',
    sha1InCluster: '2cd6fbed48ce57ec091ad0f9b4b5983e60139458',
  },
  /** rw-inspect-1.lua */
  rwInspect: {
    source:
      'local call = redis.call\n' +
      'local lock = KEYS[1]\n' +
      'local function isWriter(holder)\n' +
      'return string.sub(holder, -6) == \':write\'\n' +
      'end\n' +
      'local function idOf(holder)\n' +
      'return isWriter(holder) and string.sub(holder, 1, -7) or holder\n' +
      'end\n' +
      'local function holdKey(lock, holder, depth)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'return tag .. \':\' .. idOf(holder) .. \':rwlock_timeout:\' .. (depth or \'1\')\n' +
      'end\n' +
      'if call(\'EXISTS\', lock) == 1 and call(\'HEXISTS\', lock, \'mode\') == 0 then\n' +
      'return redis.error_reply(\'WRONGTYPE a mutex or another hash\')\n' +
      'end\n' +
      'local function holdersOf(lock)\n' +
      'local entries, holders = call(\'HGETALL\', lock), {}\n' +
      'for i = 1, #entries, 2 do\n' +
      'local name = entries[i]\n' +
      'local rest = name == \'mode\' and -2 or call(\'PTTL\', isWriter(name) and lock or holdKey(lock, name))\n' +
      'if rest ~= -2 then table.insert(holders, { name = name, depth = entries[i + 1], rest = rest }) end\n' +
      'end\n' +
      'return holders\n' +
      'end\n' +
      'local reply = {}\n' +
      'for _, holder in ipairs(holdersOf(lock)) do\n' +
      'local mark = call(\'GET\', holdKey(lock, holder.name)) == \'revoked\' and 1 or 0\n' +
      'for _, fact in ipairs({ holder.name, holder.depth, holder.rest, mark }) do table.insert(reply, fact) end\n' +
      'end\n' +
      'return reply',
    sha1: '0e666b530568c7f83781b9df2019405bb0900f05',
    sha1InCluster: '0e666b530568c7f83781b9df2019405bb0900f05',
  },
  /** rw-renew-n.lua */
  rwRenewN: {
    source:
      'local call = redis.call\n' +
      'local keysOfItem, keysPerItem = 3, 3\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function wake(lock, head, redissonMessage)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'if not redissonMessage then return end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_rwlock:\' .. tag, head and \'0\' .. redissonMessage or redissonMessage)\n' +
      'end\n' +
      'local function isWriter(holder)\n' +
      'return string.sub(holder, -6) == \':write\'\n' +
      'end\n' +
      'local function idOf(holder)\n' +
      'return isWriter(holder) and string.sub(holder, 1, -7) or holder\n' +
      'end\n' +
      'local function holdKey(lock, holder, depth)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'return tag .. \':\' .. idOf(holder) .. \':rwlock_timeout:\' .. (depth or \'1\')\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local function pushGrant(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserveTokens(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, \'mode\', isWriter(holder) and \'write\' or \'read\', holder, \'1\')\n' +
      'if call(\'PTTL\', lock) < tonumber(lease) then call(\'PEXPIRE\', lock, lease) end\n' +
      'if not isWriter(holder) then call(\'SET\', holdKey(lock, holder), \'1\', \'PX\', lease) end\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function hasUnqueuedClients(lock)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'local listening = call(\'PUBSUB\', NUMSUB, \'redisson_rwlock:\' .. tag, \'bedrock_rwlock:\' .. tag)\n' +
      'return listening[2] > listening[4]\n' +
      'end\n' +
      'local function fits(mode, writes)\n' +
      'return not mode or (mode == \'read\' and not writes)\n' +
      'end\n' +
      'local function serveNext(at, mode, redissonMessage, asking)\n' +
      'local lock = KEYS[at]\n' +
      'local head, ask = liveHead(at, asking)\n' +
      'while head and head ~= asking and fits(mode, string.find(ask, \'^%d+ %d+:write\')) do\n' +
      'local number, lease, tokens = string.match(ask, \' (%S+) (%d+) (%d+)$\')\n' +
      'if not number or hasUnqueuedClients(lock) or not pushGrant(at, head .. \':\' .. number, lease, tokens) then\n' +
      'wake(lock, head, redissonMessage)\n' +
      'return mode\n' +
      'end\n' +
      'dequeue(at, head)\n' +
      'mode, redissonMessage = isWriter(number) and \'write\' or \'read\', nil\n' +
      'head, ask = liveHead(at, asking)\n' +
      'end\n' +
      'if not head and redissonMessage then wake(lock, nil, redissonMessage) end\n' +
      'return mode\n' +
      'end\n' +
      'local function extend(lock, holder, life)\n' +
      'if call(\'PTTL\', lock) < tonumber(life) then call(\'PEXPIRE\', lock, life) end\n' +
      'local hold = holdKey(lock, holder)\n' +
      'if not isWriter(holder) and call(\'PTTL\', hold) < tonumber(life) then call(\'PEXPIRE\', hold, life) end\n' +
      'end\n' +
      'local function downgrade(at, id, depth, mark)\n' +
      'local lock = KEYS[at]\n' +
      'call(\'HDEL\', lock, id .. \':write\')\n' +
      'call(\'HSET\', lock, \'mode\', \'read\', id, depth)\n' +
      'call(\'SET\', holdKey(lock, id), mark or \'1\', \'PX\', math.max(call(\'PTTL\', lock), 1))\n' +
      'serveNext(at, \'read\', \'1\')\n' +
      'end\n' +
      'local function renew(at, arg)\n' +
      'local lock, holder, id = KEYS[at], ARGV[arg], idOf(ARGV[arg])\n' +
      'local held, mark = call(\'HMGET\', lock, id, id .. \':write\'), call(\'GET\', holdKey(lock, id))\n' +
      'if held[2] and not isWriter(holder) then\n' +
      'downgrade(at, id, held[2], mark)\n' +
      'elseif not held[2] and not (held[1] and mark) then\n' +
      'return 0\n' +
      'end\n' +
      'if mark == \'revoked\' then return 2 end\n' +
      'extend(lock, held[2] and holder or id, ARGV[arg + 1])\n' +
      'return 1\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 1, #KEYS / 3 do\n' +
      'reply[item] = protectedCall(renew, item * 3 - 2, item * 2 - 1)\n' +
      'end\n' +
      'return reply',
    sha1: '056584bce196fe0257fd11d199fad4083bf63141',
    sha1InCluster: 'ffae7aa6946e0ca81cb53cdb7e20811fb896b903',
  },
  /** rw-revoke-3.lua */
  rwRevoke: {
    source:
      'local call = redis.call\n' +
      'local lock, keysOfItem, keysPerItem = KEYS[1], 3, 3\n' +
      'local function isWriter(holder)\n' +
      'return string.sub(holder, -6) == \':write\'\n' +
      'end\n' +
      'local function idOf(holder)\n' +
      'return isWriter(holder) and string.sub(holder, 1, -7) or holder\n' +
      'end\n' +
      'local function holdKey(lock, holder, depth)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'return tag .. \':\' .. idOf(holder) .. \':rwlock_timeout:\' .. (depth or \'1\')\n' +
      'end\n' +
      'if call(\'EXISTS\', lock) == 1 and call(\'HEXISTS\', lock, \'mode\') == 0 then\n' +
      'return redis.error_reply(\'WRONGTYPE a mutex or another hash\')\n' +
      'end\n' +
      'local function holdersOf(lock)\n' +
      'local entries, holders = call(\'HGETALL\', lock), {}\n' +
      'for i = 1, #entries, 2 do\n' +
      'local name = entries[i]\n' +
      'local rest = name == \'mode\' and -2 or call(\'PTTL\', isWriter(name) and lock or holdKey(lock, name))\n' +
      'if rest ~= -2 then table.insert(holders, { name = name, depth = entries[i + 1], rest = rest }) end\n' +
      'end\n' +
      'return holders\n' +
      'end\n' +
      'local holders = holdersOf(lock)\n' +
      'if ARGV[1] == \'now\' then\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function wake(lock, head, redissonMessage)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'if not redissonMessage then return end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_rwlock:\' .. tag, head and \'0\' .. redissonMessage or redissonMessage)\n' +
      'end\n' +
      'for _, holder in ipairs(holders) do call(\'DEL\', holdKey(lock, holder.name)) end\n' +
      'call(\'DEL\', lock)\n' +
      'local head = liveHead(1)\n' +
      'if #holders > 0 then wake(lock, head, \'1\') end\n' +
      'else\n' +
      'for _, holder in ipairs(holders) do\n' +
      'if holder.rest > 0 then call(\'SET\', holdKey(lock, holder.name), \'revoked\', \'PX\', holder.rest) end\n' +
      'end\n' +
      'end\n' +
      'for _, holder in ipairs(holders) do\n' +
      'local process, message = string.match(holder.name, \'^[^:]*\'), \'!\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'return #holders > 0 and 1 or 0',
    sha1: '08d88293b7274505a60646689161a95053daa42f',
    sha1InCluster: '7ed24199a663ce8b9bdbc6f6bdd886fc50db517a',
  },
  /** rw-withdraw-n.lua */
  rwWithdrawN: {
    source:
      'local call = redis.call\n' +
      'local keysOfItem = 3\n' +
      'local items = #ARGV / 3\n' +
      'local keysPerItem = (#KEYS - 1) / items\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function wake(lock, head, redissonMessage)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'if not redissonMessage then return end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_rwlock:\' .. tag, head and \'0\' .. redissonMessage or redissonMessage)\n' +
      'end\n' +
      'local function isWriter(holder)\n' +
      'return string.sub(holder, -6) == \':write\'\n' +
      'end\n' +
      'local function idOf(holder)\n' +
      'return isWriter(holder) and string.sub(holder, 1, -7) or holder\n' +
      'end\n' +
      'local function holdKey(lock, holder, depth)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'return tag .. \':\' .. idOf(holder) .. \':rwlock_timeout:\' .. (depth or \'1\')\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local function pushGrant(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserveTokens(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, \'mode\', isWriter(holder) and \'write\' or \'read\', holder, \'1\')\n' +
      'if call(\'PTTL\', lock) < tonumber(lease) then call(\'PEXPIRE\', lock, lease) end\n' +
      'if not isWriter(holder) then call(\'SET\', holdKey(lock, holder), \'1\', \'PX\', lease) end\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function hasUnqueuedClients(lock)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'local listening = call(\'PUBSUB\', NUMSUB, \'redisson_rwlock:\' .. tag, \'bedrock_rwlock:\' .. tag)\n' +
      'return listening[2] > listening[4]\n' +
      'end\n' +
      'local function fits(mode, writes)\n' +
      'return not mode or (mode == \'read\' and not writes)\n' +
      'end\n' +
      'local function serveNext(at, mode, redissonMessage, asking)\n' +
      'local lock = KEYS[at]\n' +
      'local head, ask = liveHead(at, asking)\n' +
      'while head and head ~= asking and fits(mode, string.find(ask, \'^%d+ %d+:write\')) do\n' +
      'local number, lease, tokens = string.match(ask, \' (%S+) (%d+) (%d+)$\')\n' +
      'if not number or hasUnqueuedClients(lock) or not pushGrant(at, head .. \':\' .. number, lease, tokens) then\n' +
      'wake(lock, head, redissonMessage)\n' +
      'return mode\n' +
      'end\n' +
      'dequeue(at, head)\n' +
      'mode, redissonMessage = isWriter(number) and \'write\' or \'read\', nil\n' +
      'head, ask = liveHead(at, asking)\n' +
      'end\n' +
      'if not head and redissonMessage then wake(lock, nil, redissonMessage) end\n' +
      'return mode\n' +
      'end\n' +
      'local SLACK_MS = 5\n' +
      'local function expireWithReaders(lock)\n' +
      'local ttl, longest, longestHold, cursor = call(\'PTTL\', lock), 0, nil, \'0\'\n' +
      'repeat\n' +
      'local page = call(\'HSCAN\', lock, cursor)\n' +
      'cursor = page[1]\n' +
      'for i = 1, #page[2], 2 do\n' +
      'for depth = tonumber(page[2][i + 1]) or 0, 1, -1 do\n' +
      'local hold = holdKey(lock, page[2][i], depth)\n' +
      'local rest = call(\'PTTL\', hold)\n' +
      'if rest > longest then longest, longestHold = rest, hold end\n' +
      'end\n' +
      'if longest >= ttl - SLACK_MS then return false end\n' +
      'end\n' +
      'until cursor == \'0\'\n' +
      'if longest > 0 then\n' +
      'call(\'PEXPIRE\', lock, longest)\n' +
      'call(\'PEXPIRE\', longestHold, longest)\n' +
      'return false\n' +
      'end\n' +
      'call(\'DEL\', lock)\n' +
      'return true\n' +
      'end\n' +
      'local function releaseReader(lock, id, keepMs)\n' +
      'local hold = holdKey(lock, id)\n' +
      'local rest, ttl = call(\'PTTL\', hold), call(\'PTTL\', lock)\n' +
      'if keepMs == \'0\' then\n' +
      'call(\'HDEL\', lock, id)\n' +
      'call(\'DEL\', hold)\n' +
      'if call(\'HLEN\', lock) == 1 then\n' +
      'call(\'DEL\', lock)\n' +
      'return rest >= 0 and 1 or 0, true\n' +
      'end\n' +
      'elseif rest > tonumber(keepMs) then\n' +
      'call(\'PEXPIRE\', hold, keepMs)\n' +
      'end\n' +
      'local isFreed = (rest >= ttl - SLACK_MS or rest < 0) and expireWithReaders(lock)\n' +
      'return rest >= 0 and 1 or 0, isFreed\n' +
      'end\n' +
      'local function releaseWriter(lock, id, keepMs)\n' +
      'if keepMs == \'0\' then\n' +
      'call(\'DEL\', lock, holdKey(lock, id))\n' +
      'elseif call(\'PTTL\', lock) > tonumber(keepMs) then\n' +
      'call(\'PEXPIRE\', lock, keepMs)\n' +
      'end\n' +
      'return 1, keepMs == \'0\'\n' +
      'end\n' +
      'local function withdraw(at, arg)\n' +
      'local lock, id, keepMs = KEYS[at], ARGV[arg], ARGV[arg + 1]\n' +
      'local held = call(\'HMGET\', lock, id, id .. \':write\')\n' +
      'local ended, isFreed, redissonMessage = 0, false, \'0\'\n' +
      'if held[1] then\n' +
      'ended, isFreed = releaseReader(lock, id, keepMs)\n' +
      'elseif held[2] then\n' +
      'ended, isFreed = releaseWriter(lock, id, keepMs)\n' +
      'redissonMessage = \'1\'\n' +
      'end\n' +
      'local wasHead = call(\'LINDEX\', KEYS[at + 1], \'0\') == memberOf(arg)\n' +
      'dequeueWithdrawn(at, arg)\n' +
      'if isFreed or wasHead then\n' +
      'local mode = call(\'HGET\', lock, \'mode\')\n' +
      'if mode or call(\'EXISTS\', lock) == 0 then serveNext(at, mode, not mode and redissonMessage) end\n' +
      'end\n' +
      'return ended\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 0, items - 1 do\n' +
      'reply[item + 1] = protectedCall(withdraw, 2 + item * keysPerItem, 1 + item * 3)\n' +
      'end\n' +
      'return #reply == 1 and reply[1] or reply',
    sha1: '10e169c0835e946d90824279a00f3b37bf69b0b3',
    sha1InCluster: 'f6b208c2487acc20cab306f299c510d5741c23a5',
  },
  /** withdraw-n.lua */
  withdrawN: {
    source:
      'local keysOfItem = 3\n' +
      'local call, KEYS, ARGV = redis.call, KEYS, ARGV\n' +
      'local items = #ARGV / 3\n' +
      'local keysPerItem = (#KEYS - 1) / items\n' +
      'local reply\n' +
      'for item = 0, items - 1 do\n' +
      'local at, arg = 2 + item * keysPerItem, 1 + item * 3\n' +
      'local lock, isFreed, ended = KEYS[at], false, nil\n' +
      'if ARGV[arg + 1] == \'0\' then\n' +
      'ended = redis.pcall(\'HDEL\', lock, ARGV[arg])\n' +
      'isFreed = ended == 1\n' +
      'if not isFreed and ended ~= 0 then ended = ended.err end\n' +
      'else\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function shorten(at, arg)\n' +
      'local lock, ms = KEYS[at], ARGV[arg + 1]\n' +
      'if call(\'HEXISTS\', lock, ARGV[arg]) == 0 then return 0 end\n' +
      'local ttl = call(\'PTTL\', lock)\n' +
      'if ttl < 0 or ttl > tonumber(ms) then call(\'PEXPIRE\', lock, ms) end\n' +
      'return 1\n' +
      'end\n' +
      'ended = protectedCall(shorten, at, arg)\n' +
      'end\n' +
      'if ended == 0 or ended == 1 then\n' +
      'if call(\'EXISTS\', lock, KEYS[at + 1]) > 0 then\n' +
      'local function protectedCall(fn, key, arg, extra)\n' +
      'local isOk, answer = pcall(fn, key, arg, extra)\n' +
      'if isOk then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function wake(lock, head)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_lock__channel:\' .. tag, head and \'00\' or \'0\')\n' +
      'end\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local QUEUE_TTL_MS = \'10000\'\n' +
      'local function memberOf(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enqueue(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], memberOf(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], memberOf(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], QUEUE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], QUEUE_TTL_MS)\n' +
      'end\n' +
      'local function dequeue(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function dequeueWithdrawn(at, arg)\n' +
      'local process = memberOf(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return dequeue(at, process) end\n' +
      'local seen, number = string.match(call(\'HGET\', KEYS[at + 2], process) or \'\', \'^(%d+) (%d+)\')\n' +
      'if number and process .. \':\' .. number == ARGV[arg] then call(\'HSET\', KEYS[at + 2], process, seen) end\n' +
      'end\n' +
      'local hasLostHead = false\n' +
      'local function liveHead(at, asking)\n' +
      'local head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local ask = call(\'HGET\', KEYS[at + 2], head)\n' +
      'local rest = ask and string.match(ask, \'^%d+\') + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, ask, rest end\n' +
      'hasLostHead = true\n' +
      'call(\'LPOP\', KEYS[at + 1])\n' +
      'call(\'HDEL\', KEYS[at + 2], head)\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserveTokens(counter, count)\n' +
      'local micros = time[2]\n' +
      'local last = #micros == 6 and time[1] .. micros or time[1] .. string.rep(\'0\', 6 - #micros) .. micros\n' +
      'local before = redis.pcall(\'GETSET\', counter, last)\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'local first = last - count\n' +
      'before = tonumber(before)\n' +
      'if before and before > first and before + count < 9007199254740992 then\n' +
      'call(\'SET\', counter, string.format(\'%.0f\', before + count))\n' +
      'first = before\n' +
      'end\n' +
      'return first + 1\n' +
      'end\n' +
      'local function pushGrant(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserveTokens(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIRE\', lock, lease)\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function hasUnqueuedClients(lock)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'local listening = call(\'PUBSUB\', NUMSUB, \'redisson_lock__channel:\' .. tag, \'bedrock_lock__channel:\' .. tag)\n' +
      'return listening[2] > listening[4]\n' +
      'end\n' +
      'local function serveNext(at, head, ask)\n' +
      'local number, lease, tokens = string.match(head and ask or \'\', \' (%d+) (%d+) (%d+)$\')\n' +
      'if number and not hasUnqueuedClients(KEYS[at]) and pushGrant(at, head .. \':\' .. number, lease, tokens) then\n' +
      'dequeue(at, head)\n' +
      'else\n' +
      'wake(KEYS[at], head)\n' +
      'end\n' +
      'end\n' +
      'local function afterWithdraw(at, arg, isFreed)\n' +
      'local lock = KEYS[at]\n' +
      'if isFreed then\n' +
      'call(\'HDEL\', lock, \'bedrock_revoked\')\n' +
      'isFreed = call(\'EXISTS\', lock) == 0\n' +
      'end\n' +
      'local wasHead = call(\'LINDEX\', KEYS[at + 1], \'0\') == memberOf(arg)\n' +
      'dequeueWithdrawn(at, arg)\n' +
      'local head, ask = liveHead(at)\n' +
      'if isFreed or (wasHead and call(\'EXISTS\', lock) == 0) then serveNext(at, head, ask) end\n' +
      'end\n' +
      'ended = protectedCall(afterWithdraw, at, arg, isFreed) or ended\n' +
      'elseif isFreed then\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_lock__channel:\' .. tag, \'0\')\n' +
      'end\n' +
      'end\n' +
      'if items == 1 then return ended end\n' +
      'reply = reply or {}\n' +
      'reply[item + 1] = ended\n' +
      'end\n' +
      'return reply',
    sha1: '7964adb3d04fcfd26b8b8f570e3e234ed9d092d4',
    sha1InCluster: '253e0c703e2b9b5ee6a28b328b5af054b5250cf4',
  },
} as const;

/** What reads otherwise on a cluster, and how. */
export const IN_CLUSTER = [
  [
    'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'',
    'local PUBLISH, NUMSUB = \'SPUBLISH\', \'SHARDNUMSUB\'',
  ],
  [
    'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)',
    'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\ncall(\'SPUBLISH\', \'bedrock_wake:\' .. tag .. \':\' .. process, message)',
  ],
] as const;
