import { note, ok, problem, type Finding } from '../findings/finding.js';
import { neededRights, type NeededRights } from './needed-rights.js';
import type { RedisServer } from './redis-server.js';
import type { Purpose } from './settings-checks.js';

/**
 * Asks the server which of these calls this user may make, without making one. A call that it does not know is not allowed. Answers 0
 * where the server cannot tell.
 */
const ASK = `
if not redis.acl_check_cmd then return 0 end
local allowed = {}
for index, call in ipairs(cjson.decode(ARGV[1])) do
  local isKnown, isAllowed = pcall(redis.acl_check_cmd, unpack(call))
  allowed[index] = isKnown and isAllowed and 1 or 0
end
return allowed`;

/** Commands by which a rule of keys, or of channels, is tried: one that is allowed is enough. */
const KEY_CALLS = [['get'], ['exists'], ['del'], ['hgetall'], ['set', '1'], ['pttl'], ['lpop']] as const;
const CHANNEL_CALLS = [['publish', ''], ['subscribe'], ['spublish', ''], ['ssubscribe']] as const;

type Call = readonly string[];

/** Which rights of the recipes are missing. @param prefix what names of locks begin with */
export async function checkRights(
  server: RedisServer,
  purpose: Purpose,
  prefix: string,
): Promise<readonly Finding[]> {
  const groups = neededRights(prefix, purpose);
  const patterns = groups.flatMap((group) => group.patterns);
  const patternCalls = patterns.map(([rule, example]) =>
    (rule.startsWith('~') ? KEY_CALLS : CHANNEL_CALLS).map(([command, ...rest]) => [
      command,
      example,
      ...rest,
    ]),
  );
  const commandCalls = groups
    .flatMap((group) => group.commands)
    .map(([, ...call]) => variantsOf(call, patterns));
  const answers = await ask(server, [...patternCalls, ...commandCalls].flat());
  if (answers === 'denied') return [problem('rights', 'this user may not even call EVAL: allow it +eval')];
  if (answers === 'unknown')
    return [note('rights', 'cannot be looked up here: a server can tell from Redis 7 on')];
  const isAnyAllowed = (calls: readonly Call[]) => answers.splice(0, calls.length).includes(1);
  const isPatternAllowed = patternCalls.map(isAnyAllowed);
  const isCommandAllowed = commandCalls.map(isAnyAllowed);
  const findings = groups.flatMap((group) => {
    const lacking = [
      ...group.patterns.filter(() => isPatternAllowed.shift() === false),
      ...group.commands.filter(() => isCommandAllowed.shift() === false),
    ].map(([rule]) => rule);
    return lacking.length === 0 ? [] : [lackFinding(group, lacking)];
  });
  return findings.length === 0 ? [ok('rights', 'all of them')] : findings;
}

/** The call with each key, or channel, of the recipes: a user may have only some of them. */
function variantsOf(call: Call, patterns: readonly (readonly [string, string])[]): readonly Call[] {
  const placeholder = ['KEY', 'CHANNEL'].find((word) => call.includes(word));
  if (placeholder === undefined) return [call];
  const kind = placeholder === 'KEY' ? '~' : '&';
  return patterns
    .filter(([rule]) => rule.startsWith(kind))
    .map(([, example]) => call.map((word) => (word === placeholder ? example : word)));
}

async function ask(server: RedisServer, calls: readonly Call[]): Promise<number[] | 'denied' | 'unknown'> {
  const answer = await server.callIfAllowed('eval', ASK, 0, JSON.stringify(calls));
  if (answer === undefined) return 'denied';
  return answer === 0 ? 'unknown' : (answer as number[]);
}

/** Locks cannot do without the first ones. The others matter where such a feature is used. */
function lackFinding({ group }: NeededRights, rules: readonly string[]): Finding {
  const text = `missing for ${group}: ${rules.join(' ')}`;
  return group.startsWith('locks') ? problem('rights', text) : note('rights', text);
}
