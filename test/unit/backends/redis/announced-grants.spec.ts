import type { Backend } from 'bedrock-lock';
import { MUTEX, type Claim, type Wake } from 'bedrock-lock/backend';
import { claimOf, eventually, FREE, granted, refusalOf } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
let holder: Backend;
let waiter: Backend;
let claim: Claim;
let heard: (Wake | undefined)[];

beforeAll(() => fixture.start());
afterAll(() => fixture.stop());
afterEach(() => fixture.clean());

beforeEach(async () => {
  holder = await fixture.backend();
  waiter = await fixture.backend();
  await granted(holder, 'lock', { tokens: 1 });
  heard = [];
  await waiter.leases.watch('lock', MUTEX, (wake) => heard.push(wake));
  claim = claimOf(waiter, 'lock', { mayPush: true, tokens: 3, leaseMs: 30_000 });
  refusalOf(await waiter.leases.claim(claim));
});

interface Message {
  readonly number?: number;
  readonly token?: number;
  readonly tokens?: number;
  readonly leaseMs?: number;
  readonly at?: number;
  readonly resource?: string;
}

async function serverMs(): Promise<number> {
  const [seconds, micros] = await fixture.observer.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** Publishes as any user with the right to PUBLISH can; by default as the server would. @returns the wake that it causes */
async function announce(message: Message): Promise<Wake | undefined> {
  const now = await serverMs();
  const { number = Number(claim.id.split(':')[1]), token = now * 1_000, tokens = 3 } = message;
  const { leaseMs = 1_000, at = now, resource = 'lock' } = message;
  const before = heard.length;
  const text = `=${number} ${token} ${tokens} ${leaseMs} ${at} ${resource}`;
  await fixture.observer.publish(`bedrock_wake:${waiter.processId}`, text);
  await eventually('it is heard', () => heard.length > before);
  return heard.at(-1);
}

const HOUR_MS = 3_600_000;

describe('a grant that is announced', () => {
  it('is believed when it can be one', async () => {
    expect(await announce({})).toMatchObject({ claimId: claim.id, grant: { tokens: 3, leaseMs: 1_000 } });
  });

  it.each<[string, (now: number) => Message]>([
    ['for a claim that no process makes', () => ({ number: 77 })],
    ['for longer than a server grants by itself', () => ({ leaseMs: 24 * HOUR_MS })],
    ['for no time', () => ({ leaseMs: 0 })],
    ['with a token of a far future', () => ({ token: 9e15 })],
    ['with a token that is a little ahead of its time', (now) => ({ token: (now + 2_000) * 1_000 })],
    ['with no token', () => ({ token: 0 })],
    ['with a token of the past', () => ({ token: 1 })],
    ['with a token that is a little behind its time', (now) => ({ token: (now - 2) * 1_000, at: now })],
    ['with more tokens than were asked for', () => ({ tokens: 500 })],
    ['at a time before the claim was refused', (now) => ({ at: now - 500 })],
  ])('is a reason to ask, and no more, when it is %s', async (_, messageAt) => {
    expect(await announce(messageAt(await serverMs()))).toBeUndefined();
  });

  it('is a reason to ask also when it cannot be read', async () => {
    const before = heard.length;
    await fixture.observer.publish(`bedrock_wake:${waiter.processId}`, '=-1 1 3 1000 0 lock');
    await eventually('it is heard', () => heard.length > before);
    expect(heard.at(-1)).toBeUndefined();
  });

  it('is believed once', async () => {
    await announce({});
    expect(await announce({})).toBeUndefined();
  });

  it('is not believed when the claim has been withdrawn', async () => {
    await waiter.leases.withdraw(claim, FREE);
    expect(await announce({})).toBeUndefined();
  });

  it('is not believed with a token that is not above the last one', async () => {
    const first = await announce({ token: ((await serverMs()) + 500) * 1_000 });
    const next = { ...claim, id: `${waiter.processId}:501`, notAfter: performance.now() + 1_000 };
    refusalOf(await waiter.leases.claim(next));
    const last = first!.grant!.token + 2;
    expect(await announce({ number: 501, token: last })).toBeUndefined();
    expect(await announce({ number: 501, token: last + 1 })).toMatchObject({ claimId: next.id });
  });
});
