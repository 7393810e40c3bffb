import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease } from 'bedrock-lock';
import { READERS } from 'bedrock-lock/backend';
import { newDataFolder } from 'bedrock-servers';
import {
  assertHistory,
  ContenderProcess,
  eventually,
  type BackendModule,
  type ContenderJob,
  type History,
} from 'bedrock-testkit';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { javaCrowd } from './java-crowd.js';
import { mostBeside } from './most-beside.js';
import type { JavaProcess } from './java-process.js';
import { LONG_MS, OPEN_WITHIN_MS, Site, VERSIONS } from './site.js';

/** Callers at a time in each of the four processes. */
const CALLERS = 2;
/** Of the grants, to either side, while the other side asks too: a side that starves gets nothing. */
const LEAST_SHARE = 0.05;
const CROWD_WITHIN_MS = 90_000;

/** What one side got while the other side was at it, in turns: a process keeps the lock for several callers of its own. */
function shareOf(side: 'java' | 'node', history: History): number {
  const grants = history.filter(({ kind }) => kind === 'acquired').sort((a, b) => a.at - b.at);
  const isOurs = ({ process }: { process: string }) => process.startsWith(side);
  const theirs = grants.filter((grant) => !isOurs(grant)).map(({ at }) => at);
  const [first, last] = [Math.min(...theirs), Math.max(...theirs)];
  const meanwhile = grants.filter(({ at }) => at >= first && at <= last);
  const turns = meanwhile.filter(({ process }, i) => process !== meanwhile[i - 1]?.process);
  return turns.filter(isOurs).length / turns.length;
}

function expectNobodyStarved(history: History): void {
  for (const side of ['java', 'node'] as const) {
    const share = shareOf(side, history);
    expect({ side, share, isEnough: share > LEAST_SHARE }).toEqual({ side, share, isEnough: true });
  }
}

/** A crowd that waits for a lock, and the lease that keeps it waiting. */
interface Start {
  readonly name: string;
  /** How many processes wait, or callers where the lock is fair. */
  readonly waiters: number;
  readonly gate: Lease;
  readonly crowd: Promise<readonly History[]>;
}

describe('a crowd of two JVMs, one of each Redisson, and two Node processes', () => {
  const folder = newDataFolder('interop');
  const counterFile = join(folder, 'counter');
  let site: Site;
  let javas: readonly JavaProcess[];
  let nodes: ContenderProcess[];

  beforeAll(async () => {
    // A lease that ends in a busy machine would be no fault of either side.
    site = await Site.open(VERSIONS[0], LONG_MS);
    javas = [site.thread().process, await site.java(LONG_MS, VERSIONS[1])];
  }, OPEN_WITHIN_MS);
  beforeEach(() => {
    nodes = [];
  });
  afterAll(async () => {
    await site?.close();
    rmSync(folder, { recursive: true });
  });

  /** Lets the crowd begin at the same time: a process that starts late would find the others gone, and look starved. */
  async function onceAllWait({ name, waiters, gate, crowd }: Start): Promise<History> {
    // A crowd that fails to start ends the wait.
    await Promise.race([site.someoneWaits(name, waiters), crowd]);
    await gate.release();
    let isOver = false;
    const over = crowd.finally(() => (isOver = true));
    over.catch(() => undefined);
    try {
      await eventually('the crowd is through', () => isOver, { withinMs: CROWD_WITHIN_MS });
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await standstill(name)}`, { cause: error });
    }
    return (await over).flat();
  }

  /** Where a crowd stands that does not get on: the lock, now and after a second, and all callers. */
  async function standstill(name: string): Promise<string> {
    const before = await site.stateOf(name);
    await sleep(1_000);
    const after = await site.stateOf(name);
    const lastOfNodes = nodes.map(({ label, events }) => [label, events.length, events.slice(-2 * CALLERS)]);
    const stacks = await Promise.all(javas.map((java) => java.crowdStacks()));
    return [...[before, after, lastOfNodes].map((part) => JSON.stringify(part)), ...stacks.flat()].join('\n');
  }

  async function inNode(
    label: string,
    name: string,
    how: Partial<ContenderJob>,
    tokens = 'shared',
  ): Promise<History> {
    const source: BackendModule = {
      ...{ module: 'bedrock-lock/redis', factory: 'redis' },
      args: [{ url: site.server.url, tokens }],
    };
    const lock = { leaseMs: LONG_MS, waitMs: LONG_MS };
    const node = new ContenderProcess(
      source,
      { resource: name, tasks: CALLERS, counterFile, lock, ...how },
      label,
    );
    nodes.push(node);
    try {
      await node.ended();
    } finally {
      await node.kill();
    }
    return node.events;
  }

  it.each([
    ['RLock', 'lock', 'mutex', 'shared', 2_000],
    ['RFencedLock', 'fenced', 'mutex', 'perLock', 250],
    ['RFairLock', 'fair', 'fairMutex', 'shared', 500],
  ] as const)(
    'goes through the sections of one %s without overlap, lost update or starvation, and tokens grow',
    async (_type, javaKind, kind, tokens, each) => {
      const name = site.freshName();
      writeFileSync(counterFile, '0');
      // Each caller has a place in the line of a fair lock; otherwise each process listens once.
      const waiters = kind === 'fairMutex' ? 4 * CALLERS : 4;
      const gate = await (await site.bedrock({}, { tokens }))[kind](name).acquire();
      const crowd = Promise.all([
        ...javas.map((java, i) =>
          javaCrowd(java, {
            ...{ label: `java-${i}`, kind: javaKind, name, counterFile },
            ...{ threads: CALLERS, sections: each / CALLERS },
          }),
        ),
        ...['node-0', 'node-1'].map((label) => inNode(label, name, { kind, cycles: each / CALLERS }, tokens)),
      ]);
      const history = await onceAllWait({ name, waiters, gate, crowd });
      expect(assertHistory(history)).toMatchObject({
        ...{ failures: {}, lost: 0, leases: 4 * each },
        turns: { 'java-0': each, 'java-1': each, 'node-0': each, 'node-1': each },
      });
      expect(Number(readFileSync(counterFile, 'utf8'))).toBe(4 * each);
      expectNobodyStarved(history);
    },
    CROWD_WITHIN_MS,
  );

  it(
    'reads together and writes alone on one RReadWriteLock, and no caller starves',
    async () => expectNobodyStarved(await readersAndWriters()),
    CROWD_WITHIN_MS,
  );

  async function readersAndWriters(): Promise<History> {
    const name = site.freshName();
    writeFileSync(counterFile, '0');
    const each = { read: 300, write: 100 };
    const inJava = (java: JavaProcess, label: string, kind: 'read' | 'write') =>
      javaCrowd(java, {
        ...{ label: `${label}-${kind}`, kind, name, threads: CALLERS, sections: each[kind] / CALLERS },
        share: { units: kind === 'read' ? 1 : READERS, capacity: READERS },
        ...(kind === 'write' && { counterFile }),
      });
    const cycles = (each.read + each.write) / CALLERS / 2;
    const gate = await (await site.bedrock()).readWriteLock(name).write.acquire();
    const crowd = Promise.all([
      ...javas.flatMap((java, i) => [inJava(java, `java-${i}`, 'read'), inJava(java, `java-${i}`, 'write')]),
      ...['node-0', 'node-1'].map((label) =>
        inNode(label, name, {
          ...{ tasks: 2 * CALLERS, cycles, readWrite: { writes: 0.25 } },
          // Tokens of readers beside each other are in no order.
          lock: { leaseMs: LONG_MS, waitMs: LONG_MS, fencing: false },
        }),
      ),
    ]);
    const history = await onceAllWait({ name, waiters: 4, gate, crowd });
    expect(assertHistory(history)).toMatchObject({
      ...{ failures: {}, lost: 0, leases: 4 * (each.read + each.write) },
    });
    const writes = history.filter((event) => event.kind === 'acquired' && event.share?.units === READERS);
    expect(Number(readFileSync(counterFile, 'utf8'))).toBe(writes.length);
    expect(mostBeside(history)).toBeGreaterThan(2);
    return history;
  }
});
