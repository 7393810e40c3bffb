// Written by tools/embed-lua.mjs from scripts/*.lua. Do not edit: run `npm run embed`.
export const scripts = {
  /** annotate-n.lua */
  annotateN: {
    source:
      'local call = redis.call\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function annotate(key, arg)\n' +
      'if call(\'HEXISTS\', KEYS[key], ARGV[arg]) == 0 then return 0 end\n' +
      'call(\'HSET\', KEYS[key], ARGV[arg], ARGV[arg + 1])\n' +
      'return 1\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 1, #KEYS do\n' +
      'reply[item] = answerOf(annotate, item, item * 2 - 1)\n' +
      'end\n' +
      'return reply',
    sha1: '41367c0bff4445f2af63a01516dbb250d398e60c',
    sha1InCluster: '41367c0bff4445f2af63a01516dbb250d398e60c',
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
      'local function reserve(counter, count)\n' +
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
      'if ownsTokens then return reserve(KEYS[key + keysOfItem], count) end\n' +
      'if not nextToken then\n' +
      'local ahead = count\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'nextToken = reserve(KEYS[1], ahead)\n' +
      'end\n' +
      'if type(nextToken) == \'string\' then return nextToken end\n' +
      'nextToken = nextToken + count\n' +
      'return nextToken - count\n' +
      'end\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function against(at, arg)\n' +
      'local lock = KEYS[at]\n' +
      'if call(\'HLEN\', lock) == 0 then\n' +
      'local own = standing(arg)\n' +
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
      'local function placeOf(item)\n' +
      'return 2 + (item - 1) * keysPerItem, item * 5 - 4\n' +
      'end\n' +
      'for item = 1, items do\n' +
      'local at, arg = placeOf(item)\n' +
      'if now >= ARGV[arg + 2] + 0 then return { now, -1 } end\n' +
      'local obstacle = answerOf(against, at, arg)\n' +
      'if type(obstacle) == \'string\' then return { now, obstacle } end\n' +
      'if obstacle then return { now, { 0, item, obstacle[1], obstacle[2] } } end\n' +
      'end\n' +
      'local answer = { 1 }\n' +
      'for item = 1, items do\n' +
      'local at, arg = placeOf(item)\n' +
      'answer[item + 1] = takeTokens(at, arg + 3)\n' +
      'if type(answer[item + 1]) == \'string\' then return { now, answer[item + 1] } end\n' +
      'if isFirst[at] then leave(at, standing(arg)) end\n' +
      'end\n' +
      'for item = 1, items do\n' +
      'local at, arg = placeOf(item)\n' +
      'if call(\'HEXISTS\', KEYS[at], ARGV[arg]) == 0 then call(\'HSET\', KEYS[at], ARGV[arg], \'1\') end\n' +
      'if call(\'PTTL\', KEYS[at]) < tonumber(ARGV[arg + 1]) then call(\'PEXPIRE\', KEYS[at], ARGV[arg + 1]) end\n' +
      'end\n' +
      'return { now, answer }',
    sha1: 'bcff475c11646d70a0dd7c2a0b67917cfe51d176',
    sha1InCluster: 'a891aabbebfbd068d3fedfc13a9f993bfb42a677',
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
      'local isTaken, wantsTokens = call(\'EXISTS\', lock, KEYS[key + 1]) > 0, ARGV[arg + 3] ~= \'0\'\n' +
      'if now or isTaken or wantsTokens then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'if wantsTokens and not takeTokens then\n' +
      'local function reserve(counter, count)\n' +
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
      'if ownsTokens then return reserve(KEYS[key + keysOfItem], count) end\n' +
      'if not nextToken then\n' +
      'local ahead = count\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'nextToken = reserve(KEYS[1], ahead)\n' +
      'end\n' +
      'if type(nextToken) == \'string\' then return nextToken end\n' +
      'nextToken = nextToken + count\n' +
      'return nextToken - count\n' +
      'end\n' +
      'end\n' +
      'if now >= ARGV[arg + 2] + 0 then\n' +
      'answer = -1\n' +
      'elseif isTaken then\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function askTaken(at, arg)\n' +
      'local lock = KEYS[at]\n' +
      'local function refuse(retry, holder)\n' +
      'if ARGV[arg + 4] ~= \'0\' then enlist(at, arg) end\n' +
      'return { retry, holder }\n' +
      'end\n' +
      'if call(\'HLEN\', lock) == 0 then\n' +
      'local own = standing(arg)\n' +
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
      'if head then leave(at, own) end\n' +
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
      'answer = answerOf(askTaken, key, arg)\n' +
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
    sha1: '174494632e7c4cd50f0a08fa8f4bb7f2ba6aaea3',
    sha1InCluster: '48f7a10b543b0351c149735f6a882706bdcb30bd',
  },
  /** counter-create-2.lua */
  counterCreate: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local memo = call(\'GET\', KEYS[#KEYS])\n' +
      'if memo then return { now, memo, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function done(answer)\n' +
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
      'return done(1)',
    sha1: '0ac25d32263036bc76fcb71d9366a4437776205a',
    sha1InCluster: 'c58a4c184124b837564570820ea344ca340583d7',
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
      'local isTaken, wantsTokens = call(\'EXISTS\', lock, KEYS[key + 1]) > 0, ARGV[arg + 3] ~= \'0\'\n' +
      'if now or isTaken or wantsTokens then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'if wantsTokens and not takeTokens then\n' +
      'local function reserve(counter, count)\n' +
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
      'if ownsTokens then return reserve(KEYS[key + keysOfItem], count) end\n' +
      'if not nextToken then\n' +
      'local ahead = count\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'nextToken = reserve(KEYS[1], ahead)\n' +
      'end\n' +
      'if type(nextToken) == \'string\' then return nextToken end\n' +
      'nextToken = nextToken + count\n' +
      'return nextToken - count\n' +
      'end\n' +
      'end\n' +
      'if now >= ARGV[arg + 2] + 0 then\n' +
      'answer = -1\n' +
      'elseif isTaken then\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local WAIT_MS = 300000\n' +
      'local LINE_TTL_MS = \'3600000\'\n' +
      'local function standing(arg)\n' +
      'return ARGV[arg]\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local id, queue, times = ARGV[arg], KEYS[at + 1], KEYS[at + 2]\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then ask = ask .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3] end\n' +
      'call(\'HSET\', KEYS[at + 3], id, ask)\n' +
      'call(\'PEXPIRE\', KEYS[at + 3], LINE_TTL_MS)\n' +
      'if call(\'ZSCORE\', times, id) then return end\n' +
      'local last = call(\'LINDEX\', queue, \'-1\')\n' +
      'local before = last and call(\'ZSCORE\', times, last) or now + math.max(call(\'PTTL\', KEYS[at]), 0)\n' +
      'call(\'ZADD\', times, string.format(\'%.0f\', math.max(before, now) + WAIT_MS), id)\n' +
      'call(\'RPUSH\', queue, id)\n' +
      'call(\'PEXPIRE\', times, LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', queue, LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, id)\n' +
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
      'local function stepBack(at, arg)\n' +
      'leave(at, ARGV[arg])\n' +
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
      'leave(at, head)\n' +
      'if call(\'LINDEX\', KEYS[at + 1], \'0\') == head then call(\'LPOP\', KEYS[at + 1]) end\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function askTaken(at, arg)\n' +
      'local lock = KEYS[at]\n' +
      'local function refuse(retry, holder)\n' +
      'if ARGV[arg + 4] ~= \'0\' then enlist(at, arg) end\n' +
      'return { retry, holder }\n' +
      'end\n' +
      'if call(\'HLEN\', lock) == 0 then\n' +
      'local own = standing(arg)\n' +
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
      'if head then leave(at, own) end\n' +
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
      'answer = answerOf(askTaken, key, arg)\n' +
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
    sha1: '5932e1b11c50f639ba15667f60f383d7ce6bd971',
    sha1InCluster: '0eb296fa0af6297def33655c28e283dbfbf63f88',
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
      'local LINE_TTL_MS = \'3600000\'\n' +
      'local function standing(arg)\n' +
      'return ARGV[arg]\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local id, queue, times = ARGV[arg], KEYS[at + 1], KEYS[at + 2]\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then ask = ask .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3] end\n' +
      'call(\'HSET\', KEYS[at + 3], id, ask)\n' +
      'call(\'PEXPIRE\', KEYS[at + 3], LINE_TTL_MS)\n' +
      'if call(\'ZSCORE\', times, id) then return end\n' +
      'local last = call(\'LINDEX\', queue, \'-1\')\n' +
      'local before = last and call(\'ZSCORE\', times, last) or now + math.max(call(\'PTTL\', KEYS[at]), 0)\n' +
      'call(\'ZADD\', times, string.format(\'%.0f\', math.max(before, now) + WAIT_MS), id)\n' +
      'call(\'RPUSH\', queue, id)\n' +
      'call(\'PEXPIRE\', times, LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', queue, LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, id)\n' +
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
      'local function stepBack(at, arg)\n' +
      'leave(at, ARGV[arg])\n' +
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
      'leave(at, head)\n' +
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
    sha1: '12d5bcebfe4b12c3ffe2bb776d5efee734618198',
    sha1InCluster: '2c81e03a7ce629cbac8a1f0964c729d2669a4bc9',
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
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function keep(at, arg)\n' +
      'local lock, ms = KEYS[at], ARGV[arg + 1]\n' +
      'if call(\'HEXISTS\', lock, ARGV[arg]) == 0 then return 0 end\n' +
      'local ttl = call(\'PTTL\', lock)\n' +
      'if ttl < 0 or ttl > tonumber(ms) then call(\'PEXPIRE\', lock, ms) end\n' +
      'return 1\n' +
      'end\n' +
      'ended = answerOf(keep, at, arg)\n' +
      'end\n' +
      'if ended == 0 or ended == 1 then\n' +
      'if call(\'EXISTS\', lock, KEYS[at + 1]) > 0 then\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
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
      'local LINE_TTL_MS = \'3600000\'\n' +
      'local function standing(arg)\n' +
      'return ARGV[arg]\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local id, queue, times = ARGV[arg], KEYS[at + 1], KEYS[at + 2]\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then ask = ask .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3] end\n' +
      'call(\'HSET\', KEYS[at + 3], id, ask)\n' +
      'call(\'PEXPIRE\', KEYS[at + 3], LINE_TTL_MS)\n' +
      'if call(\'ZSCORE\', times, id) then return end\n' +
      'local last = call(\'LINDEX\', queue, \'-1\')\n' +
      'local before = last and call(\'ZSCORE\', times, last) or now + math.max(call(\'PTTL\', KEYS[at]), 0)\n' +
      'call(\'ZADD\', times, string.format(\'%.0f\', math.max(before, now) + WAIT_MS), id)\n' +
      'call(\'RPUSH\', queue, id)\n' +
      'call(\'PEXPIRE\', times, LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', queue, LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, id)\n' +
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
      'local function stepBack(at, arg)\n' +
      'leave(at, ARGV[arg])\n' +
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
      'leave(at, head)\n' +
      'if call(\'LINDEX\', KEYS[at + 1], \'0\') == head then call(\'LPOP\', KEYS[at + 1]) end\n' +
      'head = call(\'LINDEX\', KEYS[at + 1], \'0\')\n' +
      'end\n' +
      'return head, nil, HEAD_LIFE_MS\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserve(counter, count)\n' +
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
      'local function grantTo(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserve(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIRE\', lock, lease)\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function pass(at, head, ask)\n' +
      'local lease, tokens = string.match(head and ask or \'\', \' (%d+) (%d+)$\')\n' +
      'if lease and grantTo(at, head, lease, tokens) then leave(at, head) else wake(KEYS[at], head, ask) end\n' +
      'end\n' +
      'local function settle(at, arg, isFreed)\n' +
      'local lock = KEYS[at]\n' +
      'if isFreed then\n' +
      'call(\'HDEL\', lock, \'bedrock_revoked\')\n' +
      'isFreed = call(\'EXISTS\', lock) == 0\n' +
      'end\n' +
      'local wasHead = call(\'LINDEX\', KEYS[at + 1], \'0\') == standing(arg)\n' +
      'stepBack(at, arg)\n' +
      'local head, ask = liveHead(at)\n' +
      'if isFreed or (wasHead and call(\'EXISTS\', lock) == 0) then pass(at, head, ask) end\n' +
      'end\n' +
      'ended = answerOf(settle, at, arg, isFreed) or ended\n' +
      'elseif isFreed then\n' +
      'end\n' +
      'end\n' +
      'if items == 1 then return ended end\n' +
      'reply = reply or {}\n' +
      'reply[item + 1] = ended\n' +
      'end\n' +
      'return reply',
    sha1: 'f5a7a2bfed4d720d34b2b2d3f9f2de21b7ad6880',
    sha1InCluster: 'f5c1fa482a22e55bf300cc6803539f9849b887de',
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
      'local memo = call(\'GET\', KEYS[#KEYS])\n' +
      'if memo then return { now, memo, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function done(answer)\n' +
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
      'return done(count)',
    sha1: '751d513a702a3bdcb01f376c97d213c43afabe39',
    sha1InCluster: 'f9c4524f2ec1607f8d16d2299a39a113eee819f7',
  },
  /** latch-down-2.lua */
  latchDown: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local memo = call(\'GET\', KEYS[#KEYS])\n' +
      'if memo then return { now, memo, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function done(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'if not text then return { now, 0 } end\n' +
      'if count > tonumber(ARGV[3]) then return done(call(\'DECRBY\', KEYS[1], ARGV[3])) end\n' +
      'call(\'DEL\', KEYS[1])\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, ARGV[4], \'0\') end\n' +
      'return done(0)',
    sha1: '58cddeb4e86eddbb590c06e1f2e40cb99a977eb6',
    sha1InCluster: '545af4bd84b4bb6365502367e8bd41d9069868b9',
  },
  /** permits-available-2.lua */
  permitsAvailable: {
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
      'local function tellFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'if reclaimed > 0 then tellFree(ARGV[1]) end\n' +
      'return { now, count }',
    sha1: 'f37455bebe4f20c614296a80d2c3a7be7fee2b41',
    sha1InCluster: '792e2232b17cb966e561e979f544199680149d4e',
  },
  /** permits-extend-2.lua */
  permitsExtend: {
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
      'local function tellFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'local function permitOf(hex)\n' +
      'return (string.gsub(hex, \'%x%x\', function(byte) return string.char(tonumber(byte, 16)) end))\n' +
      'end\n' +
      'if reclaimed > 0 then tellFree(ARGV[2]) end\n' +
      'local permit, lease = permitOf(ARGV[4]), tonumber(ARGV[3])\n' +
      'if not call(\'ZSCORE\', KEYS[2], permit) then return { now, 0 } end\n' +
      'call(\'ZADD\', KEYS[2], lease < 0 and NEVER or now + lease, permit)\n' +
      'return { now, 1 }',
    sha1: '7a083cd5072644f6e11655e82378391993e4ac24',
    sha1InCluster: '6389a8b2df94a3ed182923dbf912f47244f5dd81',
  },
  /** permits-release-3.lua */
  permitsRelease: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local memo = call(\'GET\', KEYS[#KEYS])\n' +
      'if memo then return { now, memo, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function done(answer)\n' +
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
      'local function tellFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'local function permitOf(hex)\n' +
      'return (string.gsub(hex, \'%x%x\', function(byte) return string.char(tonumber(byte, 16)) end))\n' +
      'end\n' +
      'local held = 0\n' +
      'for at = 4, #ARGV do held = held + call(\'ZREM\', KEYS[2], permitOf(ARGV[at])) end\n' +
      'if held > 0 then count = call(\'INCRBY\', KEYS[1], held) end\n' +
      'if held + reclaimed > 0 then tellFree(ARGV[3]) end\n' +
      'return done(held)',
    sha1: '637c832fbdad8003e9fde109053e50653687c350',
    sha1InCluster: '6b1257855ba35dd1129f8e080702aeae24e42d48',
  },
  /** permits-take-3.lua */
  permitsTake: {
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
      'local function tellFree(channel)\n' +
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
      'if reclaimed > 0 then tellFree(ARGV[2]) end\n' +
      'local first = at < #ARGV and call(\'ZRANGE\', KEYS[2], 0, 0, \'WITHSCORES\') or {}\n' +
      'local next = tonumber(first[2]) or NEVER\n' +
      'return { now, served, count, next < NEVER and next - now or -1 }',
    sha1: 'c50983517ee7d4c330056f97f7895d2157993896',
    sha1InCluster: '901a7363bfc7111c37d3c964b4dff9ee8f3038a6',
  },
  /** raise-2.lua */
  raise: {
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
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
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
      'reply[item] = answerOf(renew, item, item * 2 - 1)\n' +
      'end\n' +
      'return reply',
    sha1: 'c35031daeb39f036d9960e7bd5a0f183e5d9987c',
    sha1InCluster: 'c35031daeb39f036d9960e7bd5a0f183e5d9987c',
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
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
    sha1: '17e50308844abcb2fa2aa4d2dd4a6fadd4626779',
    sha1InCluster: '7bc763966a13b7e2bb3f76e19d478537d061b542',
  },
  /** rw-annotate-n.lua */
  rwAnnotateN: {
    source:
      'local call = redis.call\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
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
      'reply[item] = answerOf(annotate, item, item * 2 - 1)\n' +
      'end\n' +
      'return reply',
    sha1: 'aa710da3cde9556c2d2c595cd7fac53d8e3865ac',
    sha1InCluster: 'aa710da3cde9556c2d2c595cd7fac53d8e3865ac',
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
      'local function holdOf(lock, holder, depth)\n' +
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
      'local isTaken, wantsTokens = call(\'EXISTS\', lock, KEYS[key + 1]) > 0, ARGV[arg + 3] ~= \'0\'\n' +
      'if now or isTaken or wantsTokens then\n' +
      'if not now then\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'end\n' +
      'if wantsTokens and not takeTokens then\n' +
      'local function reserve(counter, count)\n' +
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
      'if ownsTokens then return reserve(KEYS[key + keysOfItem], count) end\n' +
      'if not nextToken then\n' +
      'local ahead = count\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'nextToken = reserve(KEYS[1], ahead)\n' +
      'end\n' +
      'if type(nextToken) == \'string\' then return nextToken end\n' +
      'nextToken = nextToken + count\n' +
      'return nextToken - count\n' +
      'end\n' +
      'end\n' +
      'if now >= ARGV[arg + 2] + 0 then\n' +
      'answer = -1\n' +
      'elseif isTaken then\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function wake(lock, head, news)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'if not news then return end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_rwlock:\' .. tag, head and \'0\' .. news or news)\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserve(counter, count)\n' +
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
      'local function grantTo(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserve(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, \'mode\', isWriter(holder) and \'write\' or \'read\', holder, \'1\')\n' +
      'if call(\'PTTL\', lock) < tonumber(lease) then call(\'PEXPIRE\', lock, lease) end\n' +
      'if not isWriter(holder) then call(\'SET\', holdOf(lock, holder), \'1\', \'PX\', lease) end\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function hasOutsiders(lock)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'local listening = call(\'PUBSUB\', NUMSUB, \'redisson_rwlock:\' .. tag, \'bedrock_rwlock:\' .. tag)\n' +
      'return listening[2] > listening[4]\n' +
      'end\n' +
      'local function fits(mode, writes)\n' +
      'return not mode or (mode == \'read\' and not writes)\n' +
      'end\n' +
      'local function pass(at, mode, news, asking)\n' +
      'local lock = KEYS[at]\n' +
      'local head, ask = liveHead(at, asking)\n' +
      'while head and head ~= asking and fits(mode, string.find(ask, \'^%d+ %d+:write\')) do\n' +
      'local number, lease, tokens = string.match(ask, \' (%S+) (%d+) (%d+)$\')\n' +
      'if not number or hasOutsiders(lock) or not grantTo(at, head .. \':\' .. number, lease, tokens) then\n' +
      'wake(lock, head, news)\n' +
      'return mode\n' +
      'end\n' +
      'leave(at, head)\n' +
      'mode, news = isWriter(number) and \'write\' or \'read\', nil\n' +
      'head, ask = liveHead(at, asking)\n' +
      'end\n' +
      'if not head and news then wake(lock, nil, news) end\n' +
      'return mode\n' +
      'end\n' +
      'local function lengthen(lock, holder, life)\n' +
      'if call(\'PTTL\', lock) < tonumber(life) then call(\'PEXPIRE\', lock, life) end\n' +
      'local hold = holdOf(lock, holder)\n' +
      'if not isWriter(holder) and call(\'PTTL\', hold) < tonumber(life) then call(\'PEXPIRE\', hold, life) end\n' +
      'end\n' +
      'local function askTaken(at, arg)\n' +
      'local lock, holder, own = KEYS[at], ARGV[arg], standing(arg)\n' +
      'local writes = isWriter(holder)\n' +
      'local state = call(\'HMGET\', lock, \'mode\', holder)\n' +
      'local mode, mark = state[1], state[2] and call(\'GET\', holdOf(lock, holder))\n' +
      'if not mode and call(\'EXISTS\', lock) == 1 then return \'WRONGTYPE a mutex or another hash\' end\n' +
      'local function refuse(retry, by)\n' +
      'if ARGV[arg + 4] ~= \'0\' then enlist(at, arg) end\n' +
      'return { retry, by }\n' +
      'end\n' +
      'if state[2] and mark ~= \'revoked\' and (mark or writes) then\n' +
      'lengthen(lock, holder, ARGV[arg + 1])\n' +
      'return takeTokens and takeTokens(at, arg + 3) or 0\n' +
      'end\n' +
      'if mark ~= \'revoked\' and fits(mode, writes) then\n' +
      'local head, _, rest = liveHead(at, own)\n' +
      'if head and head ~= own and hasLostHead then\n' +
      'mode = pass(at, mode, nil, own)\n' +
      'head, _, rest = liveHead(at, own)\n' +
      'end\n' +
      'if head and head ~= own then return refuse(rest + 1) end\n' +
      'if fits(mode, writes) then\n' +
      'if head then leave(at, own) end\n' +
      'if not writes then pass(at, \'read\') end\n' +
      'return nil\n' +
      'end\n' +
      'end\n' +
      'local fields = call(\'HSCAN\', lock, \'0\')[2]\n' +
      'local by = fields[1] == \'mode\' and fields[3] or fields[1]\n' +
      'return refuse(call(\'PTTL\', lock), by and idOf(by))\n' +
      'end\n' +
      'answer = answerOf(askTaken, key, arg)\n' +
      'end\n' +
      'if answer == nil then\n' +
      'answer = takeTokens and takeTokens(key, arg + 3) or 0\n' +
      'if type(answer) == \'number\' then\n' +
      'call(\'HSET\', lock, \'mode\', isWriter(holder) and \'write\' or \'read\', holder, \'1\')\n' +
      'if call(\'PTTL\', lock) < tonumber(lease) then call(\'PEXPIRE\', lock, lease) end\n' +
      'if not isWriter(holder) then call(\'SET\', holdOf(lock, holder), \'1\', \'PX\', lease) end\n' +
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
    sha1: '5422022b73451051638dc771681f9c816fb03e7b',
    sha1InCluster: '47777ab8c0f5d544c73f9cfe09bf4ac0f0d0237e',
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
      'local function holdOf(lock, holder, depth)\n' +
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
      'local rest = name == \'mode\' and -2 or call(\'PTTL\', isWriter(name) and lock or holdOf(lock, name))\n' +
      'if rest ~= -2 then table.insert(holders, { name = name, depth = entries[i + 1], rest = rest }) end\n' +
      'end\n' +
      'return holders\n' +
      'end\n' +
      'local reply = {}\n' +
      'for _, holder in ipairs(holdersOf(lock)) do\n' +
      'local mark = call(\'GET\', holdOf(lock, holder.name)) == \'revoked\' and 1 or 0\n' +
      'for _, fact in ipairs({ holder.name, holder.depth, holder.rest, mark }) do table.insert(reply, fact) end\n' +
      'end\n' +
      'return reply',
    sha1: '4663a3aba4cb94e90a9752c36886f40b0a2bb877',
    sha1InCluster: '4663a3aba4cb94e90a9752c36886f40b0a2bb877',
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
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function wake(lock, head, news)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'if not news then return end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_rwlock:\' .. tag, head and \'0\' .. news or news)\n' +
      'end\n' +
      'local function isWriter(holder)\n' +
      'return string.sub(holder, -6) == \':write\'\n' +
      'end\n' +
      'local function idOf(holder)\n' +
      'return isWriter(holder) and string.sub(holder, 1, -7) or holder\n' +
      'end\n' +
      'local function holdOf(lock, holder, depth)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'return tag .. \':\' .. idOf(holder) .. \':rwlock_timeout:\' .. (depth or \'1\')\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserve(counter, count)\n' +
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
      'local function grantTo(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserve(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, \'mode\', isWriter(holder) and \'write\' or \'read\', holder, \'1\')\n' +
      'if call(\'PTTL\', lock) < tonumber(lease) then call(\'PEXPIRE\', lock, lease) end\n' +
      'if not isWriter(holder) then call(\'SET\', holdOf(lock, holder), \'1\', \'PX\', lease) end\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function hasOutsiders(lock)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'local listening = call(\'PUBSUB\', NUMSUB, \'redisson_rwlock:\' .. tag, \'bedrock_rwlock:\' .. tag)\n' +
      'return listening[2] > listening[4]\n' +
      'end\n' +
      'local function fits(mode, writes)\n' +
      'return not mode or (mode == \'read\' and not writes)\n' +
      'end\n' +
      'local function pass(at, mode, news, asking)\n' +
      'local lock = KEYS[at]\n' +
      'local head, ask = liveHead(at, asking)\n' +
      'while head and head ~= asking and fits(mode, string.find(ask, \'^%d+ %d+:write\')) do\n' +
      'local number, lease, tokens = string.match(ask, \' (%S+) (%d+) (%d+)$\')\n' +
      'if not number or hasOutsiders(lock) or not grantTo(at, head .. \':\' .. number, lease, tokens) then\n' +
      'wake(lock, head, news)\n' +
      'return mode\n' +
      'end\n' +
      'leave(at, head)\n' +
      'mode, news = isWriter(number) and \'write\' or \'read\', nil\n' +
      'head, ask = liveHead(at, asking)\n' +
      'end\n' +
      'if not head and news then wake(lock, nil, news) end\n' +
      'return mode\n' +
      'end\n' +
      'local function lengthen(lock, holder, life)\n' +
      'if call(\'PTTL\', lock) < tonumber(life) then call(\'PEXPIRE\', lock, life) end\n' +
      'local hold = holdOf(lock, holder)\n' +
      'if not isWriter(holder) and call(\'PTTL\', hold) < tonumber(life) then call(\'PEXPIRE\', hold, life) end\n' +
      'end\n' +
      'local function downgrade(at, id, depth, mark)\n' +
      'local lock = KEYS[at]\n' +
      'call(\'HDEL\', lock, id .. \':write\')\n' +
      'call(\'HSET\', lock, \'mode\', \'read\', id, depth)\n' +
      'call(\'SET\', holdOf(lock, id), mark or \'1\', \'PX\', math.max(call(\'PTTL\', lock), 1))\n' +
      'pass(at, \'read\', \'1\')\n' +
      'end\n' +
      'local function renew(at, arg)\n' +
      'local lock, holder, id = KEYS[at], ARGV[arg], idOf(ARGV[arg])\n' +
      'local held, mark = call(\'HMGET\', lock, id, id .. \':write\'), call(\'GET\', holdOf(lock, id))\n' +
      'if held[2] and not isWriter(holder) then\n' +
      'downgrade(at, id, held[2], mark)\n' +
      'elseif not held[2] and not (held[1] and mark) then\n' +
      'return 0\n' +
      'end\n' +
      'if mark == \'revoked\' then return 2 end\n' +
      'lengthen(lock, held[2] and holder or id, ARGV[arg + 1])\n' +
      'return 1\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 1, #KEYS / 3 do\n' +
      'reply[item] = answerOf(renew, item * 3 - 2, item * 2 - 1)\n' +
      'end\n' +
      'return reply',
    sha1: '1e723d0c57535d16b2630abda9f9932f3393cfb8',
    sha1InCluster: '9ce17e3c129a21e1291c3522f3f11762fd0399c4',
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
      'local function holdOf(lock, holder, depth)\n' +
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
      'local rest = name == \'mode\' and -2 or call(\'PTTL\', isWriter(name) and lock or holdOf(lock, name))\n' +
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
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function wake(lock, head, news)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'if not news then return end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_rwlock:\' .. tag, head and \'0\' .. news or news)\n' +
      'end\n' +
      'for _, holder in ipairs(holders) do call(\'DEL\', holdOf(lock, holder.name)) end\n' +
      'call(\'DEL\', lock)\n' +
      'local head = liveHead(1)\n' +
      'if #holders > 0 then wake(lock, head, \'1\') end\n' +
      'else\n' +
      'for _, holder in ipairs(holders) do\n' +
      'if holder.rest > 0 then call(\'SET\', holdOf(lock, holder.name), \'revoked\', \'PX\', holder.rest) end\n' +
      'end\n' +
      'end\n' +
      'for _, holder in ipairs(holders) do\n' +
      'local process, message = string.match(holder.name, \'^[^:]*\'), \'!\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'return #holders > 0 and 1 or 0',
    sha1: '5bd49bb8c9f7ce8cd75d830ae7c6aef1c33b5ef8',
    sha1InCluster: 'eee8adae9fca2fa9a114edecc2a26fb43ea28cc9',
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
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function wake(lock, head, news)\n' +
      'if head then\n' +
      'local process, message = head, \'+\' .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'if not news then return end\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'call(PUBLISH, \'redisson_rwlock:\' .. tag, head and \'0\' .. news or news)\n' +
      'end\n' +
      'local function isWriter(holder)\n' +
      'return string.sub(holder, -6) == \':write\'\n' +
      'end\n' +
      'local function idOf(holder)\n' +
      'return isWriter(holder) and string.sub(holder, 1, -7) or holder\n' +
      'end\n' +
      'local function holdOf(lock, holder, depth)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'return tag .. \':\' .. idOf(holder) .. \':rwlock_timeout:\' .. (depth or \'1\')\n' +
      'end\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function reserve(counter, count)\n' +
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
      'local function grantTo(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserve(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, \'mode\', isWriter(holder) and \'write\' or \'read\', holder, \'1\')\n' +
      'if call(\'PTTL\', lock) < tonumber(lease) then call(\'PEXPIRE\', lock, lease) end\n' +
      'if not isWriter(holder) then call(\'SET\', holdOf(lock, holder), \'1\', \'PX\', lease) end\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function hasOutsiders(lock)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'local listening = call(\'PUBSUB\', NUMSUB, \'redisson_rwlock:\' .. tag, \'bedrock_rwlock:\' .. tag)\n' +
      'return listening[2] > listening[4]\n' +
      'end\n' +
      'local function fits(mode, writes)\n' +
      'return not mode or (mode == \'read\' and not writes)\n' +
      'end\n' +
      'local function pass(at, mode, news, asking)\n' +
      'local lock = KEYS[at]\n' +
      'local head, ask = liveHead(at, asking)\n' +
      'while head and head ~= asking and fits(mode, string.find(ask, \'^%d+ %d+:write\')) do\n' +
      'local number, lease, tokens = string.match(ask, \' (%S+) (%d+) (%d+)$\')\n' +
      'if not number or hasOutsiders(lock) or not grantTo(at, head .. \':\' .. number, lease, tokens) then\n' +
      'wake(lock, head, news)\n' +
      'return mode\n' +
      'end\n' +
      'leave(at, head)\n' +
      'mode, news = isWriter(number) and \'write\' or \'read\', nil\n' +
      'head, ask = liveHead(at, asking)\n' +
      'end\n' +
      'if not head and news then wake(lock, nil, news) end\n' +
      'return mode\n' +
      'end\n' +
      'local SLACK_MS = 5\n' +
      'local function settleLife(lock)\n' +
      'local ttl, longest, longestHold, cursor = call(\'PTTL\', lock), 0, nil, \'0\'\n' +
      'repeat\n' +
      'local page = call(\'HSCAN\', lock, cursor)\n' +
      'cursor = page[1]\n' +
      'for i = 1, #page[2], 2 do\n' +
      'for depth = tonumber(page[2][i + 1]) or 0, 1, -1 do\n' +
      'local hold = holdOf(lock, page[2][i], depth)\n' +
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
      'local function endReading(lock, id, keepMs)\n' +
      'local hold = holdOf(lock, id)\n' +
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
      'local isFreed = (rest >= ttl - SLACK_MS or rest < 0) and settleLife(lock)\n' +
      'return rest >= 0 and 1 or 0, isFreed\n' +
      'end\n' +
      'local function endWriting(lock, id, keepMs)\n' +
      'if keepMs == \'0\' then\n' +
      'call(\'DEL\', lock, holdOf(lock, id))\n' +
      'elseif call(\'PTTL\', lock) > tonumber(keepMs) then\n' +
      'call(\'PEXPIRE\', lock, keepMs)\n' +
      'end\n' +
      'return 1, keepMs == \'0\'\n' +
      'end\n' +
      'local function withdraw(at, arg)\n' +
      'local lock, id, keepMs = KEYS[at], ARGV[arg], ARGV[arg + 1]\n' +
      'local held = call(\'HMGET\', lock, id, id .. \':write\')\n' +
      'local ended, isFreed, news = 0, false, \'0\'\n' +
      'if held[1] then\n' +
      'ended, isFreed = endReading(lock, id, keepMs)\n' +
      'elseif held[2] then\n' +
      'ended, isFreed = endWriting(lock, id, keepMs)\n' +
      'news = \'1\'\n' +
      'end\n' +
      'local wasHead = call(\'LINDEX\', KEYS[at + 1], \'0\') == standing(arg)\n' +
      'stepBack(at, arg)\n' +
      'if isFreed or wasHead then\n' +
      'local mode = call(\'HGET\', lock, \'mode\')\n' +
      'if mode or call(\'EXISTS\', lock) == 0 then pass(at, mode, not mode and news) end\n' +
      'end\n' +
      'return ended\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 0, items - 1 do\n' +
      'reply[item + 1] = answerOf(withdraw, 2 + item * keysPerItem, 1 + item * 3)\n' +
      'end\n' +
      'return #reply == 1 and reply[1] or reply',
    sha1: 'fcefee21d8bedd8606b2c74802d5b7267b56d94d',
    sha1InCluster: 'd129361e381b7d5b0efd3e489c239f6557f924e4',
  },
  /** semaphore-add-2.lua */
  semaphoreAdd: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local memo = call(\'GET\', KEYS[#KEYS])\n' +
      'if memo then return { now, memo, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function done(answer)\n' +
      'call(\'SET\', KEYS[#KEYS], string.format(\'%.0f\', answer), \'PX\', ARGV[2])\n' +
      'return { now, answer }\n' +
      'end\n' +
      'local text = call(\'GET\', KEYS[1])\n' +
      'if text and text ~= \'0\' and not (#text < 17 and string.find(text, \'^-?[1-9]%d*$\')) then\n' +
      'return redis.error_reply(\'WRONGTYPE a text that is no count\')\n' +
      'end\n' +
      'local count = tonumber(text or 0)\n' +
      'local function tellFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'count = call(\'INCRBY\', KEYS[1], ARGV[3])\n' +
      'if tonumber(ARGV[3]) > 0 then tellFree(ARGV[4]) end\n' +
      'return done(count)',
    sha1: 'adc666b52a6258714fcc76f543c036beed70a98b',
    sha1InCluster: 'b8644ff486d003b5a713ceb234d25a87ded3ba77',
  },
  /** semaphore-drain-2.lua */
  semaphoreDrain: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local memo = call(\'GET\', KEYS[#KEYS])\n' +
      'if memo then return { now, memo, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function done(answer)\n' +
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
      'return done(count)',
    sha1: '775ac4784fe85660571ff9fbeeaf39fc55c0e173',
    sha1InCluster: '775ac4784fe85660571ff9fbeeaf39fc55c0e173',
  },
  /** semaphore-take-2.lua */
  semaphoreTake: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local memo = call(\'GET\', KEYS[#KEYS])\n' +
      'if memo then return { now, memo, call(\'GET\', KEYS[1]) } end\n' +
      'if now > tonumber(ARGV[1]) then return { now } end\n' +
      'local function done(answer)\n' +
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
      'local reply = done(served)\n' +
      'reply[3] = call(\'DECRBY\', KEYS[1], string.format(\'%.0f\', taken))\n' +
      'return reply',
    sha1: '54d67167bfcee1216e7465590ec6776269ef6aac',
    sha1InCluster: '54d67167bfcee1216e7465590ec6776269ef6aac',
  },
  /** semaphore-undo-2.lua */
  semaphoreUndo: {
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
      'local function tellFree(channel)\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'if count > 0 then call(PUBLISH, channel, string.format(\'%.0f\', count)) end\n' +
      'end\n' +
      'local served, taken = tonumber(call(\'GET\', KEYS[2]) or 0), 0\n' +
      'for at = 4, 3 + served do taken = taken + ARGV[at] end\n' +
      'call(\'SET\', KEYS[2], \'0\', \'PX\', ARGV[2])\n' +
      'if taken > 0 then\n' +
      'count = call(\'INCRBY\', KEYS[1], string.format(\'%.0f\', taken))\n' +
      'tellFree(ARGV[3])\n' +
      'end\n' +
      'return { now, taken }',
    sha1: 'fed9482f1b0620be8c0645bec49afcf4a8e5f4da',
    sha1InCluster: '73c8183f734634f64bdf2489af001f415cecdf71',
  },
  /** units-claim-n.lua */
  unitsClaimN: {
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
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function setEnd(at, id, ms)\n' +
      'call(\'ZADD\', KEYS[at + 3], string.format(\'%.0f\', now + ms), id)\n' +
      'end\n' +
      'local function outlive(at)\n' +
      'local last = call(\'ZRANGE\', KEYS[at + 3], \'-1\', \'-1\', \'WITHSCORES\')[2]\n' +
      'if not last then return end\n' +
      'call(\'PEXPIREAT\', KEYS[at + 3], last)\n' +
      'call(\'PEXPIREAT\', KEYS[at], last)\n' +
      'end\n' +
      'local function hold(at, id, units, ms)\n' +
      'setEnd(at, id, ms)\n' +
      'call(\'HSET\', KEYS[at], id, units)\n' +
      'call(\'HINCRBY\', KEYS[at], \'held\', units)\n' +
      'outlive(at)\n' +
      'end\n' +
      'local function extend(at, id, ms)\n' +
      'if tonumber(call(\'ZSCORE\', KEYS[at + 3], id)) >= now + ms then return end\n' +
      'setEnd(at, id, ms)\n' +
      'outlive(at)\n' +
      'end\n' +
      'local function free(at, id)\n' +
      'if call(\'ZREM\', KEYS[at + 3], id) == 0 then return 0 end\n' +
      'local units = string.match(call(\'HGET\', KEYS[at], id) or \'0\', \'^%d+\')\n' +
      'call(\'HDEL\', KEYS[at], id)\n' +
      'if call(\'HINCRBY\', KEYS[at], \'held\', -units) <= 0 then call(\'DEL\', KEYS[at]) end\n' +
      'return 1\n' +
      'end\n' +
      'local function reclaim(at)\n' +
      'local ended = call(\'ZRANGEBYSCORE\', KEYS[at + 3], \'-inf\', now)\n' +
      'for _, id in ipairs(ended) do free(at, id) end\n' +
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
      'local process = standing(arg)\n' +
      'local head, _, rest = liveHead(at, process)\n' +
      'local isGranted = (not head or head == process) and not own and fits(at, units, capacity)\n' +
      'if isGranted then\n' +
      'if head then leave(at, process) end\n' +
      'hold(at, id, units, lease)\n' +
      'elseif ARGV[arg + 4] ~= \'0\' then\n' +
      'enlist(at, arg)\n' +
      'end\n' +
      'if hasReclaimed or hasLostHead or (head and isGranted) then\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function tellHead(at, process, message)\n' +
      'local lock = string.match(KEYS[at], \'^bedrock_units:{(.*)}$\') or string.gsub(KEYS[at], \'^bedrock_units::\', \'\')\n' +
      'message = message .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local function serve(at)\n' +
      'local head, ask = liveHead(at)\n' +
      'while head do\n' +
      'local number, lease, units, capacity = string.match(ask, \' (%d+) (%d+) (%d+) (%d+)$\')\n' +
      'if not number then return tellHead(at, head, \'+\') end\n' +
      'if not fits(at, units, capacity) then return end\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'hold(at, head .. \':\' .. number, units, lease)\n' +
      'leave(at, head)\n' +
      'tellHead(at, head, string.format(\'=%s 0 0 %d %.0f \', number, lease, now))\n' +
      'head, ask = liveHead(at)\n' +
      'end\n' +
      'end\n' +
      'serve(at)\n' +
      'end\n' +
      'if isGranted then return 0 end\n' +
      'local first = call(\'ZRANGE\', KEYS[at + 3], \'0\', \'0\', \'WITHSCORES\')\n' +
      'return first[1] and { first[2] - now, first[1] } or { rest + 1 }\n' +
      'end\n' +
      'local reply = { now }\n' +
      'for item = 0, items - 1 do\n' +
      'local at, arg = 2 + item * keysPerItem, 1 + item * 5\n' +
      'reply[item + 2] = now >= ARGV[arg + 2] + 0 and -1 or answerOf(claim, at, arg)\n' +
      'end\n' +
      'return reply',
    sha1: '014b620ce44c53cd24d961db711a5868c8112fa5',
    sha1InCluster: '8284e6be00e3934386e4524ebb8d958725357a71',
  },
  /** units-inspect-4.lua */
  unitsInspect: {
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
  /** units-renew-n.lua */
  unitsRenewN: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function fits(at, units, capacity)\n' +
      'return (call(\'HGET\', KEYS[at], \'held\') or 0) + units <= tonumber(capacity)\n' +
      'end\n' +
      'local function setEnd(at, id, ms)\n' +
      'call(\'ZADD\', KEYS[at + 3], string.format(\'%.0f\', now + ms), id)\n' +
      'end\n' +
      'local function outlive(at)\n' +
      'local last = call(\'ZRANGE\', KEYS[at + 3], \'-1\', \'-1\', \'WITHSCORES\')[2]\n' +
      'if not last then return end\n' +
      'call(\'PEXPIREAT\', KEYS[at + 3], last)\n' +
      'call(\'PEXPIREAT\', KEYS[at], last)\n' +
      'end\n' +
      'local function hold(at, id, units, ms)\n' +
      'setEnd(at, id, ms)\n' +
      'call(\'HSET\', KEYS[at], id, units)\n' +
      'call(\'HINCRBY\', KEYS[at], \'held\', units)\n' +
      'outlive(at)\n' +
      'end\n' +
      'local function extend(at, id, ms)\n' +
      'if tonumber(call(\'ZSCORE\', KEYS[at + 3], id)) >= now + ms then return end\n' +
      'setEnd(at, id, ms)\n' +
      'outlive(at)\n' +
      'end\n' +
      'local function free(at, id)\n' +
      'if call(\'ZREM\', KEYS[at + 3], id) == 0 then return 0 end\n' +
      'local units = string.match(call(\'HGET\', KEYS[at], id) or \'0\', \'^%d+\')\n' +
      'call(\'HDEL\', KEYS[at], id)\n' +
      'if call(\'HINCRBY\', KEYS[at], \'held\', -units) <= 0 then call(\'DEL\', KEYS[at]) end\n' +
      'return 1\n' +
      'end\n' +
      'local function reclaim(at)\n' +
      'local ended = call(\'ZRANGEBYSCORE\', KEYS[at + 3], \'-inf\', now)\n' +
      'for _, id in ipairs(ended) do free(at, id) end\n' +
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
      'reply[item + 1] = answerOf(renew, 1 + item * 4, 1 + item * 2)\n' +
      'end\n' +
      'return reply',
    sha1: 'c1b040c17d4c4c2eb7b8c4852fd797f1e603c2c1',
    sha1InCluster: 'c1b040c17d4c4c2eb7b8c4852fd797f1e603c2c1',
  },
  /** units-revoke-4.lua */
  unitsRevoke: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function setEnd(at, id, ms)\n' +
      'call(\'ZADD\', KEYS[at + 3], string.format(\'%.0f\', now + ms), id)\n' +
      'end\n' +
      'local function outlive(at)\n' +
      'local last = call(\'ZRANGE\', KEYS[at + 3], \'-1\', \'-1\', \'WITHSCORES\')[2]\n' +
      'if not last then return end\n' +
      'call(\'PEXPIREAT\', KEYS[at + 3], last)\n' +
      'call(\'PEXPIREAT\', KEYS[at], last)\n' +
      'end\n' +
      'local function hold(at, id, units, ms)\n' +
      'setEnd(at, id, ms)\n' +
      'call(\'HSET\', KEYS[at], id, units)\n' +
      'call(\'HINCRBY\', KEYS[at], \'held\', units)\n' +
      'outlive(at)\n' +
      'end\n' +
      'local function extend(at, id, ms)\n' +
      'if tonumber(call(\'ZSCORE\', KEYS[at + 3], id)) >= now + ms then return end\n' +
      'setEnd(at, id, ms)\n' +
      'outlive(at)\n' +
      'end\n' +
      'local function free(at, id)\n' +
      'if call(\'ZREM\', KEYS[at + 3], id) == 0 then return 0 end\n' +
      'local units = string.match(call(\'HGET\', KEYS[at], id) or \'0\', \'^%d+\')\n' +
      'call(\'HDEL\', KEYS[at], id)\n' +
      'if call(\'HINCRBY\', KEYS[at], \'held\', -units) <= 0 then call(\'DEL\', KEYS[at]) end\n' +
      'return 1\n' +
      'end\n' +
      'local function reclaim(at)\n' +
      'local ended = call(\'ZRANGEBYSCORE\', KEYS[at + 3], \'-inf\', now)\n' +
      'for _, id in ipairs(ended) do free(at, id) end\n' +
      'return #ended\n' +
      'end\n' +
      'reclaim(1)\n' +
      'local ids = call(\'ZRANGE\', KEYS[4], \'0\', \'-1\')\n' +
      'if #ids == 0 then return 0 end\n' +
      'if ARGV[1] == \'now\' then\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function tellHead(at, process, message)\n' +
      'local lock = string.match(KEYS[at], \'^bedrock_units:{(.*)}$\') or string.gsub(KEYS[at], \'^bedrock_units::\', \'\')\n' +
      'message = message .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local function serve(at)\n' +
      'local head, ask = liveHead(at)\n' +
      'while head do\n' +
      'local number, lease, units, capacity = string.match(ask, \' (%d+) (%d+) (%d+) (%d+)$\')\n' +
      'if not number then return tellHead(at, head, \'+\') end\n' +
      'if not fits(at, units, capacity) then return end\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'hold(at, head .. \':\' .. number, units, lease)\n' +
      'leave(at, head)\n' +
      'tellHead(at, head, string.format(\'=%s 0 0 %d %.0f \', number, lease, now))\n' +
      'head, ask = liveHead(at)\n' +
      'end\n' +
      'end\n' +
      'call(\'DEL\', KEYS[1], KEYS[4])\n' +
      'serve(1)\n' +
      'else\n' +
      'for _, id in ipairs(ids) do\n' +
      'call(\'HSET\', KEYS[1], id, string.match(call(\'HGET\', KEYS[1], id), \'^%d+\') .. \' revoked\')\n' +
      'end\n' +
      'end\n' +
      'local at, isTold = 1, {}\n' +
      'local lock = string.match(KEYS[at], \'^bedrock_units:{(.*)}$\') or string.gsub(KEYS[at], \'^bedrock_units::\', \'\')\n' +
      'for _, id in ipairs(ids) do\n' +
      'local process = string.match(id, \'^[^:]*\')\n' +
      'if not isTold[process] then call(\'PUBLISH\', \'bedrock_wake:\' .. process, \'!\' .. lock) end\n' +
      'isTold[process] = true\n' +
      'end\n' +
      'return 1',
    sha1: '8fd290ec8c6041aef7f1716936cce0d3bd6e7713',
    sha1InCluster: 'fd0b2e20e8e210684b28cbc362397d587e47f544',
  },
  /** units-withdraw-n.lua */
  unitsWithdrawN: {
    source:
      'local call = redis.call\n' +
      'local time, now\n' +
      'time = call(\'TIME\')\n' +
      'local micros = time[2] + 0\n' +
      'now = time[1] * 1000 + (micros - micros % 1000) / 1000\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function setEnd(at, id, ms)\n' +
      'call(\'ZADD\', KEYS[at + 3], string.format(\'%.0f\', now + ms), id)\n' +
      'end\n' +
      'local function outlive(at)\n' +
      'local last = call(\'ZRANGE\', KEYS[at + 3], \'-1\', \'-1\', \'WITHSCORES\')[2]\n' +
      'if not last then return end\n' +
      'call(\'PEXPIREAT\', KEYS[at + 3], last)\n' +
      'call(\'PEXPIREAT\', KEYS[at], last)\n' +
      'end\n' +
      'local function hold(at, id, units, ms)\n' +
      'setEnd(at, id, ms)\n' +
      'call(\'HSET\', KEYS[at], id, units)\n' +
      'call(\'HINCRBY\', KEYS[at], \'held\', units)\n' +
      'outlive(at)\n' +
      'end\n' +
      'local function extend(at, id, ms)\n' +
      'if tonumber(call(\'ZSCORE\', KEYS[at + 3], id)) >= now + ms then return end\n' +
      'setEnd(at, id, ms)\n' +
      'outlive(at)\n' +
      'end\n' +
      'local function free(at, id)\n' +
      'if call(\'ZREM\', KEYS[at + 3], id) == 0 then return 0 end\n' +
      'local units = string.match(call(\'HGET\', KEYS[at], id) or \'0\', \'^%d+\')\n' +
      'call(\'HDEL\', KEYS[at], id)\n' +
      'if call(\'HINCRBY\', KEYS[at], \'held\', -units) <= 0 then call(\'DEL\', KEYS[at]) end\n' +
      'return 1\n' +
      'end\n' +
      'local function reclaim(at)\n' +
      'local ended = call(\'ZRANGEBYSCORE\', KEYS[at + 3], \'-inf\', now)\n' +
      'for _, id in ipairs(ended) do free(at, id) end\n' +
      'return #ended\n' +
      'end\n' +
      'local function lower(at, id, ms)\n' +
      'local till = call(\'ZSCORE\', KEYS[at + 3], id)\n' +
      'if not till then return 0 end\n' +
      'if tonumber(till) > now + ms then\n' +
      'setEnd(at, id, ms)\n' +
      'outlive(at)\n' +
      'end\n' +
      'return 1\n' +
      'end\n' +
      'local function withdraw(at, arg)\n' +
      'reclaim(at)\n' +
      'local ended\n' +
      'if ARGV[arg + 1] == \'0\' then\n' +
      'ended = free(at, ARGV[arg])\n' +
      'if ended == 1 then outlive(at) end\n' +
      'else\n' +
      'ended = lower(at, ARGV[arg], ARGV[arg + 1])\n' +
      'end\n' +
      'if call(\'EXISTS\', KEYS[at + 1]) == 1 then\n' +
      'stepBack(at, arg)\n' +
      'local PUSHED_LEASE_MS = 1000\n' +
      'local function tellHead(at, process, message)\n' +
      'local lock = string.match(KEYS[at], \'^bedrock_units:{(.*)}$\') or string.gsub(KEYS[at], \'^bedrock_units::\', \'\')\n' +
      'message = message .. lock\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'end\n' +
      'local function serve(at)\n' +
      'local head, ask = liveHead(at)\n' +
      'while head do\n' +
      'local number, lease, units, capacity = string.match(ask, \' (%d+) (%d+) (%d+) (%d+)$\')\n' +
      'if not number then return tellHead(at, head, \'+\') end\n' +
      'if not fits(at, units, capacity) then return end\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'hold(at, head .. \':\' .. number, units, lease)\n' +
      'leave(at, head)\n' +
      'tellHead(at, head, string.format(\'=%s 0 0 %d %.0f \', number, lease, now))\n' +
      'head, ask = liveHead(at)\n' +
      'end\n' +
      'end\n' +
      'serve(at)\n' +
      'end\n' +
      'return ended\n' +
      'end\n' +
      'local reply = {}\n' +
      'for item = 0, #ARGV / 3 - 1 do\n' +
      'reply[item + 1] = answerOf(withdraw, 2 + item * 4, 1 + item * 3)\n' +
      'end\n' +
      'return #reply == 1 and reply[1] or reply',
    sha1: 'c7490f2502879e723a26ba0f97635ca72b141799',
    sha1InCluster: 'aed1f41bf47174013fc32116901aee2ff4741fbc',
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
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function keep(at, arg)\n' +
      'local lock, ms = KEYS[at], ARGV[arg + 1]\n' +
      'if call(\'HEXISTS\', lock, ARGV[arg]) == 0 then return 0 end\n' +
      'local ttl = call(\'PTTL\', lock)\n' +
      'if ttl < 0 or ttl > tonumber(ms) then call(\'PEXPIRE\', lock, ms) end\n' +
      'return 1\n' +
      'end\n' +
      'ended = answerOf(keep, at, arg)\n' +
      'end\n' +
      'if ended == 0 or ended == 1 then\n' +
      'if call(\'EXISTS\', lock, KEYS[at + 1]) > 0 then\n' +
      'local function answerOf(verb, key, arg, extra)\n' +
      'local isAnswered, answer = pcall(verb, key, arg, extra)\n' +
      'if isAnswered then return answer end\n' +
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
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function standing(arg)\n' +
      'return string.match(ARGV[arg], \'^[^:]*\')\n' +
      'end\n' +
      'local function enlist(at, arg)\n' +
      'local ask = string.format(\'%.0f\', now)\n' +
      'if ARGV[arg + 4] == \'2\' then\n' +
      'ask = ask .. \' \' .. string.match(ARGV[arg], \':(.*)$\') .. \' \' .. ARGV[arg + 1] .. \' \' .. ARGV[arg + 3]\n' +
      'end\n' +
      'if call(\'HSET\', KEYS[at + 2], standing(arg), ask) == 1 then call(\'RPUSH\', KEYS[at + 1], standing(arg)) end\n' +
      'call(\'PEXPIRE\', KEYS[at + 1], LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', KEYS[at + 2], LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(at, process)\n' +
      'if call(\'HDEL\', KEYS[at + 2], process) == 1 then call(\'LREM\', KEYS[at + 1], \'1\', process) end\n' +
      'end\n' +
      'local function stepBack(at, arg)\n' +
      'local process = standing(arg)\n' +
      'if ARGV[arg + 2] == \'1\' then return leave(at, process) end\n' +
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
      'local function reserve(counter, count)\n' +
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
      'local function grantTo(at, holder, lease, tokens)\n' +
      'local counter = keysPerItem > keysOfItem and KEYS[at + keysOfItem] or KEYS[1]\n' +
      'local token = tokens == \'0\' and 0 or reserve(counter, tonumber(tokens))\n' +
      'if type(token) == \'string\' then return false end\n' +
      'local lock, process, number = KEYS[at], string.match(holder, \'^([^:]*):(%d+)\')\n' +
      'lease = math.min(lease, PUSHED_LEASE_MS)\n' +
      'call(\'HSET\', lock, holder, \'1\')\n' +
      'call(\'PEXPIRE\', lock, lease)\n' +
      'local message = string.format(\'=%s %.0f %s %d %.0f %s\', number, token, tokens, lease, now, lock)\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. process, message)\n' +
      'return true\n' +
      'end\n' +
      'local function hasOutsiders(lock)\n' +
      'local tag = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'local PUBLISH, NUMSUB = \'PUBLISH\', \'NUMSUB\'\n' +
      'local listening = call(\'PUBSUB\', NUMSUB, \'redisson_lock__channel:\' .. tag, \'bedrock_lock__channel:\' .. tag)\n' +
      'return listening[2] > listening[4]\n' +
      'end\n' +
      'local function pass(at, head, ask)\n' +
      'local number, lease, tokens = string.match(head and ask or \'\', \' (%d+) (%d+) (%d+)$\')\n' +
      'if number and not hasOutsiders(KEYS[at]) and grantTo(at, head .. \':\' .. number, lease, tokens) then\n' +
      'leave(at, head)\n' +
      'else\n' +
      'wake(KEYS[at], head)\n' +
      'end\n' +
      'end\n' +
      'local function settle(at, arg, isFreed)\n' +
      'local lock = KEYS[at]\n' +
      'if isFreed then\n' +
      'call(\'HDEL\', lock, \'bedrock_revoked\')\n' +
      'isFreed = call(\'EXISTS\', lock) == 0\n' +
      'end\n' +
      'local wasHead = call(\'LINDEX\', KEYS[at + 1], \'0\') == standing(arg)\n' +
      'stepBack(at, arg)\n' +
      'local head, ask = liveHead(at)\n' +
      'if isFreed or (wasHead and call(\'EXISTS\', lock) == 0) then pass(at, head, ask) end\n' +
      'end\n' +
      'ended = answerOf(settle, at, arg, isFreed) or ended\n' +
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
    sha1: '74a749285af3036150d7c353811acdf8e3a92876',
    sha1InCluster: 'bccbd9895d01f5bd1b7b6560b9ceef9dfde99524',
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
