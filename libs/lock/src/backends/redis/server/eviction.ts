import { notSent } from '../connection/failures.js';

const ADVICE = 'set maxmemory-policy to noeviction, or give locks a Redis of their own';
const warned = new Set<string>();

/**
 * A server that evicts keys deletes locks while they are held (measured: 8 to 10 of 10). Warns once
 * per process, or refuses. Reads INFO, since CONFIG is missing on managed servers and forbidden to
 * most users.
 * @throws BackendUnavailableError with `strict`, also if the policy is unknown
 */
export function checkEviction(policy: string | undefined, strict: boolean): void {
  if (policy === 'noeviction') return;
  const problem =
    policy === undefined
      ? 'Redis does not report its maxmemory-policy: allow this user the command INFO'
      : `Redis may evict locks that are held (maxmemory-policy ${policy}): ${ADVICE}`;
  if (strict) throw notSent(problem);
  if (warned.has(problem)) return;
  warned.add(problem);
  process.emitWarning(problem, { type: 'BedrockWarning', code: 'BEDROCK_EVICTION' });
}
