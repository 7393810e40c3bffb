import { Etcd3 } from 'etcd3';
import type { BackendAddress } from '../../input/backend-address.js';
import { visibleMessage } from '../../output/visible.js';
import { note, ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { measure, operationLimit } from '../findings/measure.js';
import { versionFinding } from '../findings/version-finding.js';
import { memberFindings } from './member-findings.js';

type EtcdAddress = Extract<BackendAddress, { engine: 'etcd' }>;

const OLDEST = [3, 4] as const;
/** From these patches on, a leader rarely ends leases that are in use (etcd issue 15247). */
const GOOD_PATCH = { '3.4': 31, '3.5': 13 } as const;

/** The ensemble as a whole, and each member that is named. */
export async function examineEtcd(address: EtcdAddress, timeoutMs: number): Promise<readonly Examination[]> {
  const examined = await Promise.all(address.hosts.map((host) => examineMember(host, address, timeoutMs)));
  const members = examined.find(({ memberCount }) => memberCount !== undefined)?.memberCount;
  const whole = { subject: 'etcd', findings: memberFindings(members, address.hosts.length, 'hosts') };
  return [...(members === undefined ? [] : [whole]), ...examined.map(({ examination }) => examination)];
}

interface ExaminedMember {
  readonly examination: Examination;
  readonly memberCount: number | undefined;
}

async function examineMember(
  host: string,
  { prefix, user }: EtcdAddress,
  timeoutMs: number,
): Promise<ExaminedMember> {
  const subject = host.replace(/^\w+:\/\//, '');
  const client = new Etcd3({
    hosts: host,
    dialTimeout: timeoutMs,
    defaultCallOptions: () => ({ deadline: Date.now() + timeoutMs }),
    ...(user && { auth: user }),
  });
  try {
    const { version = '' } = await client.maintenance.status();
    const members = await client.cluster.memberList({}).catch(() => undefined);
    const findings = [
      ok('reachable', 'it answers'),
      leaseVersionFinding(version),
      ...(await alarmFindings(client)),
      ...(await checkRights(client, `${prefix}bedrock-doctor`)),
      ...(await measure(
        () =>
          client
            .get(`${prefix}bedrock-doctor`)
            .string()
            .then(() => undefined),
        operationLimit(timeoutMs),
      )),
    ];
    return {
      examination: { subject, findings },
      // A learner has no vote.
      memberCount: members?.members.filter(({ isLearner }) => !isLearner).length,
    };
  } catch (error) {
    const findings = [problem('reachable', visibleMessage(error as Error))];
    return { examination: { subject, findings }, memberCount: undefined };
  } finally {
    client.close();
  }
}

function leaseVersionFinding(version: string): Finding {
  const old = versionFinding(`etcd ${version}`, version, OLDEST);
  if (old.state !== 'ok') return old;
  const [major, minor, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const good = (GOOD_PATCH as Partial<Record<string, number>>)[`${major}.${minor}`] ?? 0;
  return patch < good
    ? problem(
        'version',
        `etcd ${version} may end leases that are in use when its leader changes: take 3.4.31, 3.5.13 or newer`,
      )
    : old;
}

/** One member without space stops the writes of the whole ensemble. */
async function alarmFindings(client: Etcd3): Promise<readonly Finding[]> {
  try {
    const { alarms } = await client.maintenance.alarm({ action: 'Get' });
    // The client spells the names of etcd in its own way.
    const names = alarms.map(({ alarm }) => String(alarm).toUpperCase());
    return names.map((name) =>
      problem(
        'memory',
        name === 'NOSPACE'
          ? 'alarm NOSPACE: the ensemble refuses writes. Compact and defragment it, then disarm the alarm'
          : `alarm ${name}: look at the logs of the members before anything else`,
      ),
    );
  } catch (error) {
    return [note('memory', `the alarms could not be read: ${visibleMessage(error as Error)}`)];
  }
}

/** Reads a key, and names a write that never happens: its condition is false, and the right is checked all the same. */
async function checkRights(client: Etcd3, key: string): Promise<readonly Finding[]> {
  const reading = await refusalOf(client.get(key).string());
  const writing = await refusalOf(
    client.if(key, 'Version', '==', -1).then(client.put(key).value('')).commit(),
  );
  const lacking = [...(reading === 'denied' ? ['read'] : []), ...(writing === 'denied' ? ['write'] : [])];
  if (lacking.length === 0 && writing === 'full')
    return [note('rights', 'unknown: without space every write is refused')];
  return lacking.length === 0
    ? [ok('rights', 'all needed rights are granted')]
    : [problem('rights', `this user may not ${lacking.join(' or ')} keys below the prefix of the locks`)];
}

/** @throws any other failure */
async function refusalOf(request: Promise<unknown>): Promise<'denied' | 'full' | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    if (/permission denied/i.test(message)) return 'denied';
    if (/space exceeded/i.test(message)) return 'full';
    throw error;
  }
}
