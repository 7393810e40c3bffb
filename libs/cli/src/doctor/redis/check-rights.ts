import { note, ok, problem, type Finding } from '../findings/finding.js';
import { neededRights, type NeededRights } from './needed-rights.js';
import { isRefusal, type RedisServer } from './redis-server.js';
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

type CommandCall = readonly string[];
/** A rule with an example of a key or a channel that it allows. */
type Pattern = NeededRights['patterns'][number];

/** A rule of the recipes, and calls of which it allows at least one. */
interface RightProbe {
  readonly group: NeededRights;
  readonly rule: string;
  readonly calls: readonly CommandCall[];
}

/** Which rights of the recipes are missing. @param prefix what names of locks begin with */
export async function checkRights(
  server: RedisServer,
  purpose: Purpose,
  prefix: string,
): Promise<readonly Finding[]> {
  const groups = neededRights(prefix, purpose);
  const probes = probesOf(groups);
  const answers = await ask(
    server,
    probes.flatMap(({ calls }) => calls),
  );
  if (answers === 'denied') return [problem('rights', 'this user may not even call EVAL: allow it +eval')];
  if (answers === 'unknown')
    return [note('rights', 'cannot be checked here: only Redis 7 and newer can answer this')];
  const refused = refusedProbes(probes, answers);
  const findings = groups.flatMap((group) => {
    const rules = refused.flatMap((probe) => (probe.group === group ? [probe.rule] : []));
    return rules.length === 0 ? [] : [lackFinding(group, rules)];
  });
  return findings.length === 0 ? [ok('rights', 'all needed rights are granted')] : findings;
}

function probesOf(groups: readonly NeededRights[]): readonly RightProbe[] {
  const patterns = groups.flatMap((group) => group.patterns);
  return groups.flatMap((group) => [
    ...group.patterns.map(([rule, example]) => {
      const calls = rule.startsWith('~') ? KEY_CALLS : CHANNEL_CALLS;
      return { group, rule, calls: calls.map(([command, ...rest]) => [command, example, ...rest]) };
    }),
    ...group.commands.map(([rule, ...call]) => ({ group, rule, calls: variantsOf(call, patterns) })),
  ]);
}

/** The call with each key, or channel, of the recipes: a user may have only some of them. */
function variantsOf(call: CommandCall, patterns: readonly Pattern[]): readonly CommandCall[] {
  const placeholder = ['KEY', 'CHANNEL'].find((word) => call.includes(word));
  if (placeholder === undefined) return [call];
  const kind = placeholder === 'KEY' ? '~' : '&';
  return patterns
    .filter(([rule]) => rule.startsWith(kind))
    .map(([, example]) => call.map((word) => (word === placeholder ? example : word)));
}

async function ask(
  server: RedisServer,
  calls: readonly CommandCall[],
): Promise<readonly number[] | 'denied' | 'unknown'> {
  try {
    const answer = await server.call('eval', ASK, 0, JSON.stringify(calls));
    return answer === 0 ? 'unknown' : (answer as readonly number[]);
  } catch (error) {
    if (/^NOPERM/.test((error as Error).message)) return 'denied';
    if (isRefusal(error)) return 'unknown';
    throw error;
  }
}

/** @param answers 1 for each call that is allowed, in the order of the probes and their calls */
function refusedProbes(probes: readonly RightProbe[], answers: readonly number[]): readonly RightProbe[] {
  let next = 0;
  return probes.filter(({ calls }) => {
    const from = next;
    next += calls.length;
    return !answers.slice(from, next).includes(1);
  });
}

function lackFinding({ group, isForLocks }: NeededRights, rules: readonly string[]): Finding {
  const text = `missing for ${group}: ${rules.join(' ')}`;
  return isForLocks ? problem('rights', text) : note('rights', text);
}
