import { setTimeout as sleep } from 'node:timers/promises';
import type { Bedrock } from 'bedrock-lock';
import { startEtcdEnsemble, type EtcdEnsemble } from 'bedrock-servers';
import { assertHistory, eventually, FREE, HistoryRecorder, type HistoryEvent } from 'bedrock-testkit';
import { EtcdFixture, entryKeysOf, granted } from './fixture.js';

const fixture = new EtcdFixture();
let ensemble: EtcdEnsemble;

beforeAll(async () => {
  ensemble = await startEtcdEnsemble();
});
afterEach(() => fixture.clean());
afterAll(() => ensemble.stop());

it('the death of the leader: the hold lives on, the waiter is served, tokens grow', async () => {
  const options = { hosts: ensemble.urls, operationTimeoutMs: 1_000 };
  const [one, other] = [await fixture.peer(options), await fixture.peer(options)];
  const resource = fixture.fresh();
  const lease = await one.mutex(resource).acquire({ leaseMs: 6_000 });
  const next = other.mutex(resource).acquire({ waitMs: 20_000 });
  const leader = await ensemble.leader();
  const alive = ensemble.members.find((member) => member !== leader)!;
  await eventually('it waits', async () => (await entryKeysOf(alive.url, resource)).length === 2);
  leader.kill('SIGKILL');
  await ensemble.leader(leader);
  const { validUntil } = lease;
  await eventually('it is renewed', () => lease.validUntil > validUntil, { withinMs: 10_000 });
  expect(lease.isHeld).toBe(true);
  await leader.restart();
  expect(await lease.release()).toBe('released');
  const nextLease = await next;
  expect(nextLease.token).toBeGreaterThan(lease.token);
  await nextLease.release();
}, 60_000);

it('a leader that is frozen for longer than a lease: holds are renewed through the next one', async () => {
  const options = { hosts: ensemble.urls, operationTimeoutMs: 800 };
  const holder = await fixture.peer(options);
  const resource = fixture.fresh();
  const lease = await holder.mutex(resource).acquire({ leaseMs: 6_000 });
  const leader = await ensemble.leader();
  leader.pause();
  try {
    await ensemble.leader(leader);
    const { validUntil } = lease;
    await eventually('it is renewed', () => lease.validUntil > validUntil + 3_000, { withinMs: 12_000 });
    await sleep(1_000);
    expect(lease.isHeld).toBe(true);
    expect(await lease.release()).toBe('released');
  } finally {
    leader.resume();
  }
}, 60_000);

it('a member that says that it lost its leader is asked again until there is one', async () => {
  const leader = await ensemble.leader();
  const { url } = ensemble.members.find((member) => member !== leader)!;
  const backend = await fixture.backend({ hosts: url, operationTimeoutMs: 10_000 });
  const resource = fixture.fresh();
  const claim = await granted(backend, resource);
  leader.pause();
  try {
    const asked = Array.from({ length: 20 }, async (_, i) => {
      await sleep(i * 50);
      return backend.leases.inspect(resource, claim.shape);
    });
    for (const holders of await Promise.all(asked)) expect(holders).toHaveLength(1);
    expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
  } finally {
    leader.resume();
  }
}, 60_000);

it('a leader that is frozen and goes on, again and again: one holder at a time, and tokens grow', async () => {
  const options = { hosts: ensemble.urls, operationTimeoutMs: 600 };
  const peers = await Promise.all([1, 2, 3].map(() => fixture.peer(options)));
  const resource = fixture.fresh();
  const history: HistoryEvent[] = [];
  let isOver = false;
  const turns = () => history.filter(({ kind }) => kind === 'acquired').length;
  const contend = async (peer: Bedrock, at: number): Promise<void> => {
    const recorder = new HistoryRecorder(`p${at}`, (event) => history.push(event));
    const unfollow = recorder.follow(peer);
    const terms = { leaseMs: 2_000, waitMs: 20_000 };
    while (!isOver) {
      const lease = await recorder.acquire(resource, terms.waitMs, () => peer.mutex(resource).acquire(terms));
      await sleep(50);
      recorder.observe(lease!);
      await recorder.release(lease!);
    }
    unfollow();
  };
  const contest = Promise.all(peers.map(contend));
  for (let round = 1; round <= 3; round += 1) {
    const leader = await ensemble.leader();
    const seen = turns();
    leader.pause();
    try {
      await ensemble.leader(leader);
      await eventually('locks go on without it', () => turns() >= seen + 3, { withinMs: 10_000 });
    } finally {
      leader.resume();
    }
    await eventually('and with it', () => turns() >= seen + 6, { withinMs: 10_000 });
  }
  isOver = true;
  await contest;
  assertHistory(history);
}, 90_000);
