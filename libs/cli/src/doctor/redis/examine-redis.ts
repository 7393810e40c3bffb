import { visibleMessage } from '../../output/visible.js';
import { ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { measure, operationLimit } from '../findings/measure.js';
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
  readonly timeoutMs: number;
  /** With a guard, the longest lease of this command. */
  readonly guardedLeaseMs: number | undefined;
}

/** @param subject what the server is called @default host and port */
export async function examineServer(
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
  try {
    const name = subject === undefined ? server.name : `${subject} (${server.name})`;
    return { subject: name, findings: await lookAt(server, context) };
  } finally {
    server.disconnect();
  }
}

async function lookAt(server: RedisServer, context: RedisContext): Promise<readonly Finding[]> {
  const { purpose, prefix, timeoutMs, guardedLeaseMs } = context;
  const guard = await readGuard(server);
  const isGuarded = guardedLeaseMs !== undefined || guard.isSet;
  const findings = [
    ok('reachable', 'it answers'),
    checkVersion(server, purpose),
    checkRole(server),
    checkEviction(server),
    checkMemory(server),
    await checkPersistence(server, purpose, isGuarded),
    checkReplicas(server),
    checkScripts(server),
    ...(await checkRights(server, purpose, prefix)),
    checkLease(guard, guardedLeaseMs),
    ...(await measure(() => server.now(), operationLimit(timeoutMs))),
  ];
  return findings.filter((finding) => finding !== undefined);
}

/** Without user and password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server';
}
