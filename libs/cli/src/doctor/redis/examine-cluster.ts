import { visibleMessage } from '../../output/visible.js';
import { note, ok, problem, type Examination, type Finding } from '../findings/finding.js';
import { examineRedisServer, hostOf, type RedisContext } from './examine-redis.js';
import { RedisServer } from './redis-server.js';

const SLOTS = 16_384;
const ANSWERS = ok('reachable', 'it answers');

/** A line of CLUSTER SLOTS: its range, the master, and its replicas. */
type SlotLine = readonly [from: number, to: number, master: ServerAddress, ...replicas: ServerAddress[]];
type ServerAddress = readonly [host: string | null, port: number];

/** The cluster as a whole, and each of its masters. @param urls those that are named */
export async function examineCluster(
  urls: readonly string[],
  context: RedisContext,
): Promise<readonly Examination[]> {
  const seeds = await Promise.all(
    urls.map(async (url) => {
      try {
        return await RedisServer.connect(url, context.timeoutMs);
      } catch (error) {
        return `${hostOf(url)}: ${visibleMessage(error as Error)}`;
      }
    }),
  );
  const reached = seeds.filter((seed) => typeof seed !== 'string');
  const silent = seeds.filter((seed) => typeof seed === 'string').map((text) => problem('reachable', text));
  try {
    const [seed] = reached;
    if (seed === undefined) return [{ subject: 'cluster', findings: silent }];
    const ranges = await slotsOf(seed);
    if (typeof ranges === 'string')
      return [{ subject: 'cluster', findings: [...silent, problem('reachable', ranges)] }];
    if (ranges === undefined || ranges.length === 0)
      return [{ subject: 'cluster', findings: [...silent, ANSWERS, noCluster(ranges)] }];
    const masters = new Map(ranges.map(([, , master]) => [addressOf(master, seed), seed.url]));
    const whole = { subject: 'cluster', findings: [...silent, ANSWERS, ...slotFindings(ranges)] };
    const examined = await Promise.all(
      [...masters].map(([place, url]) => examineRedisServer(withHost(url, place), context)),
    );
    return [whole, ...examined];
  } finally {
    for (const server of reached) server.disconnect();
  }
}

/** The answer of CLUSTER SLOTS; undefined when it is refused; a text when there is no answer. */
async function slotsOf(seed: RedisServer): Promise<readonly SlotLine[] | string | undefined> {
  try {
    return (await seed.callIfAllowed('cluster', 'slots')) as readonly SlotLine[] | undefined;
  } catch (error) {
    return `it stopped answering: ${visibleMessage(error as Error)}`;
  }
}

function noCluster(ranges: readonly SlotLine[] | undefined): Finding {
  return ranges === undefined
    ? problem('slots', 'CLUSTER SLOTS is refused: this is no cluster, or the user lacks +cluster|slots')
    : problem('slots', 'no server has a slot: assign them, by redis-cli --cluster create');
}

function slotFindings(ranges: readonly SlotLine[]): readonly Finding[] {
  const covered = ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  const alone = new Set(
    ranges
      .filter(([, , , ...replicas]) => replicas.length === 0)
      .map(([, , [host, port]]) => `${host}:${port}`),
  );
  return [
    covered === SLOTS
      ? ok('slots', 'every slot has a master')
      : problem('slots', `${SLOTS - covered} of ${SLOTS} slots have no master: their locks cannot be taken`),
    ...(alone.size === 0
      ? []
      : [
          note(
            'slots',
            `no replica takes over from ${[...alone].join(', ')}: its locks stop while it is away`,
          ),
        ]),
  ];
}

/** The address with another host and port, and the same user. */
function withHost(url: string, place: string): string {
  return url.replace(/^(\w+:\/\/(?:.*@)?).*$/s, `$1${place}`);
}

/** A server that does not know its own host is on that of the server that was asked. */
function addressOf([host, port]: ServerAddress, seed: RedisServer): string {
  const known = host === '' || host === '?' || host === null ? seedHost(seed) : host;
  return `${known.includes(':') ? `[${known}]` : known}:${port}`;
}

function seedHost({ name }: RedisServer): string {
  return name.slice(0, name.lastIndexOf(':'));
}
