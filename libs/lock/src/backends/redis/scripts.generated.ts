// Written by tools/embed-lua.mjs from scripts/*.lua. Do not edit: run `npm run embed`.
export const scripts = {
  /** annotate-n.lua */
  annotateN: {
    source:
      'local call = redis.call\n' +
      'local function answerOf(verb, key, arg)\n' +
      'local isAnswered, answer = pcall(verb, key, arg)\n' +
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
    sha1: '693e4524f0549138669db93df757c9ac71d7b4b3',
  },
  /** claim-n.lua */
  claimN: {
    source:
      'local call = redis.call\n' +
      'local time = call(\'TIME\')\n' +
      'local now = time[1] * 1000 + math.floor(time[2] / 1000)\n' +
      'local isGuarded = #ARGV % 5 == 3\n' +
      'local items = (#ARGV - (isGuarded and 3 or 0)) / 5\n' +
      'local keysPerItem = (#KEYS - (isGuarded and 2 or 1)) / items\n' +
      'local lastToken\n' +
      'local function takeTokens(key, arg)\n' +
      'local count = tonumber(ARGV[arg])\n' +
      'if count == 0 then return 0 end\n' +
      'local owns = keysPerItem == 4\n' +
      'if owns or not lastToken then\n' +
      'local ahead, before = count, nil\n' +
      'local last = #time[2] == 6 and time[1] .. time[2] or time[1] .. string.rep(\'0\', 6 - #time[2]) .. time[2]\n' +
      'if owns then\n' +
      'before = redis.pcall(\'GETSET\', KEYS[key + 3], last)\n' +
      'else\n' +
      'for at = arg + 5, items * 5, 5 do ahead = ahead + ARGV[at] end\n' +
      'before = call(\'GETSET\', KEYS[1], last)\n' +
      'end\n' +
      'if type(before) == \'table\' then return before.err end\n' +
      'lastToken = last - ahead\n' +
      'before = tonumber(before)\n' +
      'if before and before > lastToken and before + ahead < 9007199254740992 then\n' +
      'call(\'SET\', owns and KEYS[key + 3] or KEYS[1], string.format(\'%.0f\', before + ahead))\n' +
      'lastToken = before\n' +
      'end\n' +
      'end\n' +
      'lastToken = lastToken + count\n' +
      'return lastToken - count + 1\n' +
      'end\n' +
      'if isGuarded then\n' +
      'local function quarantineMs(key, runId, longest, trusts, now)\n' +
      'local guard = call(\'GET\', key)\n' +
      'if guard == runId then return 0 end\n' +
      'local prefix = runId .. \':\'\n' +
      'local over = guard and string.sub(guard, 1, #prefix) == prefix and tonumber(string.sub(guard, #prefix + 1))\n' +
      'if not guard and trusts then over = now end\n' +
      'if not over then\n' +
      'over = now + longest\n' +
      'call(\'SET\', key, string.format(\'%s%.0f\', prefix, over))\n' +
      'end\n' +
      'if over > now then return over - now end\n' +
      'call(\'SET\', key, runId)\n' +
      'return 0\n' +
      'end\n' +
      'local rest = quarantineMs(KEYS[#KEYS], ARGV[#ARGV - 2], ARGV[#ARGV - 1], ARGV[#ARGV] == \'1\', now)\n' +
      'if rest > 0 then return redis.error_reply(string.format(\'QUARANTINED %.0f\', rest)) end\n' +
      'end\n' +
      'local reply = { now }\n' +
      'for item = 0, items - 1 do\n' +
      'local key, arg, answer = 2 + item * keysPerItem, 1 + item * 5, nil\n' +
      'if now > tonumber(ARGV[arg + 2]) then\n' +
      'answer = -1\n' +
      'elseif call(\'EXISTS\', KEYS[key], KEYS[key + 1]) > 0 then\n' +
      'local function answerOf(verb, key, arg)\n' +
      'local isAnswered, answer = pcall(verb, key, arg)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function enlist(line, signs, process, now)\n' +
      'if call(\'ZADD\', signs, now, process) == 1 then call(\'RPUSH\', line, process) end\n' +
      'call(\'PEXPIRE\', line, LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', signs, LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(line, signs, process)\n' +
      'if call(\'ZREM\', signs, process) == 1 then call(\'LREM\', line, \'1\', process) end\n' +
      'end\n' +
      'local function liveHead(line, signs, now, asking)\n' +
      'local head = call(\'LINDEX\', line, \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local seen = call(\'ZSCORE\', signs, head)\n' +
      'local rest = seen and seen + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, rest end\n' +
      'call(\'LPOP\', line)\n' +
      'call(\'ZREM\', signs, head)\n' +
      'head = call(\'LINDEX\', line, \'0\')\n' +
      'end\n' +
      'return head, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function askTaken(key, arg)\n' +
      'local lock, line, signs = KEYS[key], KEYS[key + 1], KEYS[key + 2]\n' +
      'local process = string.match(ARGV[arg], \'^[^:]*\')\n' +
      'local function refuse(retry, holder)\n' +
      'if ARGV[arg + 4] == \'1\' then enlist(line, signs, process, now) end\n' +
      'return { retry, holder }\n' +
      'end\n' +
      'if call(\'HLEN\', lock) == 0 then\n' +
      'local head, rest = liveHead(line, signs, now, process)\n' +
      'if head and head ~= process then return refuse(rest + 1) end\n' +
      'if head then leave(line, signs, process) end\n' +
      'return nil\n' +
      'end\n' +
      'local state = call(\'HMGET\', lock, ARGV[arg], \'bedrock_revoked\', \'mode\')\n' +
      'if state[3] then return \'WRONGTYPE a read-write lock\' end\n' +
      'local ttl = call(\'PTTL\', lock)\n' +
      'if state[1] and not state[2] then\n' +
      'local token = takeTokens(key, arg + 3)\n' +
      'if ttl < tonumber(ARGV[arg + 1]) then call(\'PEXPIRE\', lock, ARGV[arg + 1]) end\n' +
      'return token\n' +
      'end\n' +
      'local fields = call(\'HSCAN\', lock, \'0\')[2]\n' +
      'return refuse(ttl, fields[1] == \'bedrock_revoked\' and fields[3] or fields[1])\n' +
      'end\n' +
      'answer = answerOf(askTaken, key, arg)\n' +
      'end\n' +
      'if answer == nil then\n' +
      'answer = takeTokens(key, arg + 3)\n' +
      'if type(answer) == \'number\' then\n' +
      'call(\'HSET\', KEYS[key], ARGV[arg], \'1\')\n' +
      'call(\'PEXPIRE\', KEYS[key], ARGV[arg + 1])\n' +
      'end\n' +
      'end\n' +
      'reply[item + 2] = answer\n' +
      'end\n' +
      'return reply',
    sha1: '22eb56a5a98ec1ee6ecd8bada03c4c06f40b97be',
  },
  /** inspect-1.lua */
  inspect: {
    source:
      'local call = redis.call\n' +
      'local reply = call(\'HGETALL\', KEYS[1])\n' +
      'table.insert(reply, 1, call(\'PTTL\', KEYS[1]))\n' +
      'return reply',
    sha1: '08177227f44e9c63aadd21f133d17268b273151a',
  },
  /** renew-n.lua */
  renewN: {
    source:
      'local call = redis.call\n' +
      'local function answerOf(verb, key, arg)\n' +
      'local isAnswered, answer = pcall(verb, key, arg)\n' +
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
    sha1: '298bd0ca0185e1f39c9b6ff8926e9f1e409fd85c',
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
      'local function serverNow()\n' +
      'local time = call(\'TIME\')\n' +
      'return time[1] * 1000 + math.floor(time[2] / 1000)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function enlist(line, signs, process, now)\n' +
      'if call(\'ZADD\', signs, now, process) == 1 then call(\'RPUSH\', line, process) end\n' +
      'call(\'PEXPIRE\', line, LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', signs, LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(line, signs, process)\n' +
      'if call(\'ZREM\', signs, process) == 1 then call(\'LREM\', line, \'1\', process) end\n' +
      'end\n' +
      'local function liveHead(line, signs, now, asking)\n' +
      'local head = call(\'LINDEX\', line, \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local seen = call(\'ZSCORE\', signs, head)\n' +
      'local rest = seen and seen + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, rest end\n' +
      'call(\'LPOP\', line)\n' +
      'call(\'ZREM\', signs, head)\n' +
      'head = call(\'LINDEX\', line, \'0\')\n' +
      'end\n' +
      'return head, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function wake(lock, head)\n' +
      'if head then call(\'PUBLISH\', \'bedrock_wake:\' .. head, \'+\' .. lock) end\n' +
      'local tagged = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'call(\'PUBLISH\', \'redisson_lock__channel:\' .. tagged, head and \'00\' or \'0\')\n' +
      'end\n' +
      'call(\'DEL\', lock)\n' +
      'local head = liveHead(KEYS[2], KEYS[3], serverNow())\n' +
      'wake(lock, head)\n' +
      'else\n' +
      'call(\'HSET\', lock, \'bedrock_revoked\', \'1\')\n' +
      'end\n' +
      'for _, holder in ipairs(holders) do\n' +
      'call(\'PUBLISH\', \'bedrock_wake:\' .. string.gsub(holder, \':.*$\', \'\'), \'!\' .. lock)\n' +
      'end\n' +
      'return 1',
    sha1: '4d826ff5a89fcf938230bbf9e9b9aa12c40a39d5',
  },
  /** withdraw-n.lua */
  withdrawN: {
    source:
      'local call = redis.call\n' +
      'local function wake(lock, head)\n' +
      'if head then call(\'PUBLISH\', \'bedrock_wake:\' .. head, \'+\' .. lock) end\n' +
      'local tagged = string.find(lock, \'{\', 1, true) and lock or \'{\' .. lock .. \'}\'\n' +
      'call(\'PUBLISH\', \'redisson_lock__channel:\' .. tagged, head and \'00\' or \'0\')\n' +
      'end\n' +
      'local reply = {}\n' +
      'for at = 1, #KEYS, 3 do\n' +
      'local lock, isKept = KEYS[at], ARGV[at + 1] ~= \'0\'\n' +
      'local ended\n' +
      'if isKept then\n' +
      'local function answerOf(verb, key, arg)\n' +
      'local isAnswered, answer = pcall(verb, key, arg)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function keep(at)\n' +
      'local lock, ms = KEYS[at], ARGV[at + 1]\n' +
      'if call(\'HEXISTS\', lock, ARGV[at]) == 0 then return 0 end\n' +
      'local ttl = call(\'PTTL\', lock)\n' +
      'if ttl < 0 or ttl > tonumber(ms) then call(\'PEXPIRE\', lock, ms) end\n' +
      'return 1\n' +
      'end\n' +
      'ended = answerOf(keep, at)\n' +
      'else\n' +
      'ended = redis.pcall(\'HDEL\', lock, ARGV[at])\n' +
      'if type(ended) == \'table\' then ended = ended.err end\n' +
      'end\n' +
      'if type(ended) == \'number\' then\n' +
      'local isFreed = ended == 1 and not isKept\n' +
      'if call(\'EXISTS\', lock, KEYS[at + 1]) > 0 then\n' +
      'local function answerOf(verb, key, arg)\n' +
      'local isAnswered, answer = pcall(verb, key, arg)\n' +
      'if isAnswered then return answer end\n' +
      'return type(answer) == \'table\' and answer.err or tostring(answer)\n' +
      'end\n' +
      'local function serverNow()\n' +
      'local time = call(\'TIME\')\n' +
      'return time[1] * 1000 + math.floor(time[2] / 1000)\n' +
      'end\n' +
      'local HEAD_LIFE_MS = 1000\n' +
      'local LINE_TTL_MS = \'10000\'\n' +
      'local function enlist(line, signs, process, now)\n' +
      'if call(\'ZADD\', signs, now, process) == 1 then call(\'RPUSH\', line, process) end\n' +
      'call(\'PEXPIRE\', line, LINE_TTL_MS)\n' +
      'call(\'PEXPIRE\', signs, LINE_TTL_MS)\n' +
      'end\n' +
      'local function leave(line, signs, process)\n' +
      'if call(\'ZREM\', signs, process) == 1 then call(\'LREM\', line, \'1\', process) end\n' +
      'end\n' +
      'local function liveHead(line, signs, now, asking)\n' +
      'local head = call(\'LINDEX\', line, \'0\')\n' +
      'while head and head ~= asking do\n' +
      'local seen = call(\'ZSCORE\', signs, head)\n' +
      'local rest = seen and seen + HEAD_LIFE_MS - now\n' +
      'if rest and rest >= 0 then return head, rest end\n' +
      'call(\'LPOP\', line)\n' +
      'call(\'ZREM\', signs, head)\n' +
      'head = call(\'LINDEX\', line, \'0\')\n' +
      'end\n' +
      'return head, HEAD_LIFE_MS\n' +
      'end\n' +
      'local function settle(at, isFreed)\n' +
      'local lock, line, signs = KEYS[at], KEYS[at + 1], KEYS[at + 2]\n' +
      'if isFreed then\n' +
      'call(\'HDEL\', lock, \'bedrock_revoked\')\n' +
      'isFreed = call(\'EXISTS\', lock) == 0\n' +
      'end\n' +
      'local process, leaves = string.match(ARGV[at], \'^[^:]*\'), ARGV[at + 2] == \'1\'\n' +
      'local wasHead = call(\'LINDEX\', line, \'0\') == process\n' +
      'if leaves then leave(line, signs, process) end\n' +
      'local head = liveHead(line, signs, serverNow())\n' +
      'if isFreed or (wasHead and leaves and call(\'EXISTS\', lock) == 0) then wake(lock, head) end\n' +
      'end\n' +
      'ended = answerOf(settle, at, isFreed) or ended\n' +
      'elseif isFreed then\n' +
      'wake(lock)\n' +
      'end\n' +
      'end\n' +
      'reply[#reply + 1] = ended\n' +
      'end\n' +
      'return #reply == 1 and reply[1] or reply',
    sha1: '7bf3902d628b3ec9bbb0800dec0a66adabfccf78',
  },
} as const;
