import { visibleMessage } from '../../output/visible.js';
import { ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { measure, type RequestLimit } from '../findings/measure.js';
import { checkLease, readGuard } from './check-lease.js';
import { checkRights } from './check-rights.js';
import { RedisServer } from './redis-server.js';
import {
  checkEviction,
  checkMemory,
  checkPersistence,
  checkReplicas,
  checkRole,
  checkScripts,
  checkVersion,
  type Purpose,
} from './settings-checks.js';

/** How the servers of a backend are looked at. */
export interface RedisContext {
  readonly purpose: Purpose;
  /** What names of locks begin with. */
  readonly prefix: string;
  /** Longest connection or request of this command, in ms. */
  readonly timeoutMs: number;
  /** What the applications allow for a request. */
  readonly limit: RequestLimit;
  /** With a guard, the longest lease of this command. */
  readonly guardedLeaseMs: number | undefined;
}

/** @param subject what the server is called @default host and port */
export async function examineRedisServer(
  url: string,
  context: RedisContext,
  subject?: string,
): Promise<Examination> {
  let server: RedisServer;
  try {
    server = await RedisServer.connect(url, context.timeoutMs);
  } catch (error) {
    return {
      subject: subject ?? hostOf(url),
      findings: [problem('reachable', visibleMessage(error as Error))],
    };
  }
  const name = subject === undefined ? server.name : `${subject} (${server.name})`;
  const findings: Finding[] = [];
  try {
    for await (const finding of check(server, context)) if (finding !== undefined) findings.push(finding);
  } catch (error) {
    findings.push(problem('reachable', `it stopped answering: ${visibleMessage(error as Error)}`));
  } finally {
    server.disconnect();
  }
  return { subject: name, findings };
}

/** The findings one by one: those made before the server stops answering are kept. */
async function* check(server: RedisServer, context: RedisContext): AsyncGenerator<Finding | undefined> {
  const { purpose, prefix, limit, guardedLeaseMs } = context;
  yield ok('reachable', 'it answers');
  const guard = await readGuard(server);
  const isGuarded = guardedLeaseMs !== undefined || guard.maxLeaseMs !== undefined;
  yield checkVersion(server, purpose);
  yield checkRole(server, purpose);
  yield checkEviction(server);
  yield checkMemory(server);
  yield await checkPersistence(server, purpose, isGuarded);
  yield checkReplicas(server, purpose, isGuarded);
  yield checkScripts(server);
  yield* await checkRights(server, purpose, prefix);
  yield checkLease(guard, guardedLeaseMs, purpose);
  yield* await measure(() => server.now(), limit);
}

/** Host and port of a URL, without user and password. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server';
}
