import type { BackendAddress } from '../../input/backend-address.js';
import { durationText } from '../../output/durations.js';
import { visible, visibleMessage } from '../../output/visible.js';
import { note, ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { measure, operationLimit } from '../findings/measure.js';
import { versionFinding } from '../findings/version-finding.js';
import { fourLetterWord } from './four-letter-word.js';
import { memberFindings } from './member-findings.js';
import { TrialSession } from './trial-session.js';

type ZooKeeperAddress = Extract<BackendAddress, { engine: 'zookeeper' }>;

const DEFAULT_PORT = 2_181;
/** Sessions of Bedrock live so much longer than their leases: docs/backends/zookeeper.md. */
const SESSION_PER_LEASE = 1.5;
/** Bedrock's shortest session, in ms. */
const SHORTEST_SESSION_MS = 750;
/** A dead holder keeps its lock at least as long as the server lets the shortest session live, in ms. */
const LONG_SHORTEST_MS = 4_000;
const OLDEST = [3, 5] as const;

/** The ensemble as a whole, and each server that is named. @param maxLeaseMs the longest lease of the applications */
export async function examineZooKeeper(
  { connect }: ZooKeeperAddress,
  maxLeaseMs: number,
  timeoutMs: number,
): Promise<readonly Examination[]> {
  const [hosts = ''] = connect.split('/');
  const addresses = hosts.split(',');
  const servers = await Promise.all(addresses.map((one) => examineMember(one, timeoutMs)));
  // A frozen server accepts a connection, and would keep the client from the others.
  const answering = addresses.filter((_, at) => !servers[at]!.findings.some(isUnreachable));
  const asked = answering.length === 0 ? addresses : answering;
  const findings = await examineEnsemble(asked, addresses.length, maxLeaseMs, timeoutMs);
  return [{ subject: 'ZooKeeper', findings }, ...servers];
}

function isUnreachable({ check, state }: Finding): boolean {
  return check === 'reachable' && state === 'problem';
}

/** @param named how many servers the URL names */
async function examineEnsemble(
  addresses: readonly string[],
  named: number,
  maxLeaseMs: number,
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const hosts = addresses.join(',');
  const sessions: TrialSession[] = [];
  try {
    const longest = await TrialSession.open(hosts, maxLeaseMs * SESSION_PER_LEASE, timeoutMs);
    sessions.push(longest);
    const shortest = await TrialSession.open(hosts, SHORTEST_SESSION_MS, timeoutMs);
    sessions.push(shortest);
    const config = await longest.read('/zookeeper/config');
    const members = config?.match(/^server\.(?!.*:observer)/gm)?.length;
    return [
      ok('reachable', 'a majority answers'),
      ...memberFindings(members, named, 'connect'),
      ...sessionFindings(longest.lifeMs, shortest.lifeMs, maxLeaseMs),
      ...(await measure(() => longest.exists('/').then(() => undefined), operationLimit(timeoutMs))),
    ];
  } catch (error) {
    return [problem('reachable', visibleMessage(error as Error))];
  } finally {
    for (const session of sessions) session.close();
  }
}

function sessionFindings(longestMs: number, shortestMs: number, maxLeaseMs: number): readonly Finding[] {
  const neededMs = maxLeaseMs * SESSION_PER_LEASE;
  const findings = [
    longestMs < neededMs
      ? problem(
          'session',
          `maxSessionTimeout is ${longestMs}, which allows leases of ${Math.floor(longestMs / SESSION_PER_LEASE)} ms: raise it to ${neededMs}, or lower maxLeaseMs (${maxLeaseMs})`,
        )
      : ok('session', `long enough for leases of ${durationText(maxLeaseMs)}`),
  ];
  if (shortestMs >= LONG_SHORTEST_MS)
    findings.push(
      note(
        'session',
        `minSessionTimeout is ${shortestMs}: a dead holder keeps its lock at least that long. For a faster takeover lower tickTime, and set maxSessionTimeout to ${neededMs} or more`,
      ),
    );
  return findings;
}

async function examineMember(address: string, timeoutMs: number): Promise<Examination> {
  const [, host = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  const subject = `${host}:${port ?? DEFAULT_PORT}`;
  try {
    return {
      subject,
      findings: stateFindings(await fourLetterWord(host, Number(port ?? DEFAULT_PORT), 'srvr', timeoutMs)),
    };
  } catch (error) {
    return { subject, findings: [problem('reachable', visibleMessage(error as Error))] };
  }
}

function stateFindings(answer: string): readonly Finding[] {
  const [, version] = /^Zookeeper version: ([\d.]+)/m.exec(answer) ?? [];
  const [, mode] = /^Mode: (\w+)/m.exec(answer) ?? [];
  if (version === undefined)
    return [
      /not currently serving/.test(answer)
        ? problem('reachable', 'it is not part of a majority: look at its log')
        : note('version', `unknown: the word srvr is not allowed (${visible(answer.trim(), 80)})`),
    ];
  return [
    ok('reachable', `it answers (${mode ?? 'unknown'})`),
    versionFinding(`ZooKeeper ${version}`, version, OLDEST),
  ];
}
