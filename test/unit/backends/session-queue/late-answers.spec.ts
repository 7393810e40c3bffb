import { describe, expect, it } from '@jest/globals';
import { permits, type Claim } from 'bedrock-lock/backend';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueueLeases } from '../../../../libs/lock/src/backends/session-queue/queue-leases.js';
import { systemClock } from '../../../../libs/lock/src/core/clock.js';
import type {
  EnqueueRequest,
  EnqueueResult,
  OwnEntry,
  QueueSession,
  QueueStore,
} from '../../../../libs/lock/src/backends/session-queue/queue-store.js';

const LEASE_MS = 5_000;
const SESSION: QueueSession = { maxLeaseMs: 10_000, isLost: false };

/** One queue in memory: entries arrive at once and in order, and the answers as late as the test wants. */
class LateQueue {
  readonly entries: OwnEntry[] = [];

  /** @param answersAfterMs by claim id */
  constructor(private readonly answersAfterMs: Readonly<Record<string, number>>) {}

  get store(): QueueStore {
    const part: Partial<QueueStore> = {
      session: async () => SESSION,
      read: async () => [...this.entries],
      enqueue: (request) => this.#enqueue(request),
      confirm: async (entries) => entries.map(() => ({ kind: 'present', revision: 1 })),
      remove: async ({ claimId }) => this.#remove(claimId),
      watchOwn: () => undefined,
      releaseQueue: () => undefined,
    };
    return part as QueueStore;
  }

  async #enqueue({ resource, claimId, shape, leaseMs }: EnqueueRequest): Promise<EnqueueResult> {
    const { mode, units, capacity } = shape;
    const entry = { resource, claimId, mode, units, capacity, leaseMs, location: claimId, session: SESSION };
    this.entries.push(entry);
    const queue = [...this.entries];
    await sleep(this.answersAfterMs[claimId] ?? 0);
    return { entry, queue, revision: 1 };
  }

  #remove(claimId: string): boolean {
    const at = this.entries.findIndex((entry) => entry.claimId === claimId);
    return at >= 0 && this.entries.splice(at, 1).length === 1;
  }
}

/** The answers to claims for so many of four permits, sent at once. */
async function answers(units: readonly number[], answersAfterMs: Readonly<Record<string, number>>) {
  const leases = new QueueLeases(
    {
      name: 'late',
      clock: systemClock,
      store: new LateQueue(answersAfterMs).store,
      ...{ operationTimeoutMs: 1_000, maxLeaseMs: 10_000 },
    },
    () => undefined,
  );
  const claims = units.map((count, at): Claim => ({
    ...{ id: `p:${at}`, resource: 'pool', shape: permits(count, 4), leaseMs: LEASE_MS, tokens: 0 },
    ...{ queue: false, mayPush: false, holdAtLeastMs: 0, notAfter: Infinity },
  }));
  return Promise.all(claims.map(async (claim) => (await leases.claim(claim)).kind));
}

describe('claims of one process that do not wait', () => {
  it('are decided in the order of the queue, although the answer to one is late', async () => {
    expect(await answers([2, 1, 2, 1], { 'p:2': 50 })).toEqual(['granted', 'granted', 'refused', 'granted']);
  });

  it('are refused all the same where those ahead are granted late', async () => {
    expect(await answers([2, 2, 1], { 'p:0': 50, 'p:1': 30 })).toEqual(['granted', 'granted', 'refused']);
  });
});
