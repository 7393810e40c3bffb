import type { Backend } from 'bedrock-lock';
import { MUTEX } from 'bedrock-lock/backend';
import { claimOf, eventually, FREE, granted } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
const CHANNEL = 'redisson_lock__channel:{lock}';
let mine: Backend;
let other: Backend;

beforeAll(() => fixture.start());
beforeEach(async () => {
  mine = await fixture.backend();
  other = await fixture.backend();
});
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

class Bell {
  rings = 0;
  readonly ring = (): void => void (this.rings += 1);
}

async function subscribers(channel = CHANNEL): Promise<number> {
  const [, count] = (await fixture.observer.pubsub('NUMSUB', channel)) as [string, number];
  return count;
}

/** Everything that was published before has been received. */
async function settled(backend: Backend): Promise<void> {
  const bell = new Bell();
  const stop = await backend.leases.watch('settled', MUTEX, bell.ring);
  await fixture.observer.publish('redisson_lock__channel:{settled}', '0');
  await eventually('the last message', () => bell.rings > 0);
  stop();
}

describe('watch', () => {
  it('has subscribed when it resolves, and wakes at a release', async () => {
    const bell = new Bell();
    const claim = await granted(mine, 'lock');
    await other.leases.watch('lock', MUTEX, bell.ring);
    expect(await subscribers()).toBe(1);
    await mine.leases.withdraw(claim, FREE);
    await eventually('the wake', () => bell.rings === 1);
  });

  it('is one subscription for many watchers of a resource, and ends with the last', async () => {
    const bells = [new Bell(), new Bell()] as const;
    const before = mine.commands;
    const stops = await Promise.all(
      [...bells, bells[0]].map(({ ring }) => mine.leases.watch('lock', MUTEX, ring)),
    );
    expect(mine.commands - before).toBe(1);
    await fixture.observer.publish(CHANNEL, '0');
    await eventually('three wakes', () => bells[0].rings === 2 && bells[1].rings === 1);
    stops[0]!();
    stops[0]!();
    expect(await subscribers()).toBe(1);
    await fixture.observer.publish(CHANNEL, '0');
    await eventually('two wakes', () => bells[0].rings === 3 && bells[1].rings === 2);
    stops[1]!();
    stops[2]!();
    await eventually('the end of the subscription', async () => (await subscribers()) === 0);
    const stop = await mine.leases.watch('lock', MUTEX, bells[0].ring);
    expect(await subscribers()).toBe(1);
    stop();
  });

  it('wakes the head of the queue alone', async () => {
    const third = await fixture.backend();
    const [head, last] = [new Bell(), new Bell()];
    await other.leases.watch('lock', MUTEX, head.ring);
    await third.leases.watch('lock', MUTEX, last.ring);
    const claim = await granted(mine, 'lock');
    await other.leases.claim(claimOf(other, 'lock'));
    await third.leases.claim(claimOf(third, 'lock'));
    await mine.leases.withdraw(claim, FREE);
    await eventually('the wake of the head', () => head.rings === 1);
    await settled(third);
    expect(last.rings).toBe(0);
  });

  it('wakes the next when a head leaves the queue', async () => {
    const third = await fixture.backend();
    const bell = new Bell();
    await third.leases.watch('lock', MUTEX, bell.ring);
    const claim = await granted(mine, 'lock');
    const given = claimOf(other, 'lock');
    await other.leases.claim(given);
    await third.leases.claim(claimOf(third, 'lock'));
    await mine.leases.withdraw(claim, FREE);
    await settled(third);
    expect(bell.rings).toBe(0);
    await other.leases.withdraw(given, FREE);
    await eventually('the wake of the next', () => bell.rings === 1);
  });

  it('wakes on the message of a release by Redisson', async () => {
    const bell = new Bell();
    await mine.leases.watch('lock', MUTEX, bell.ring);
    await fixture.observer.publish(CHANNEL, '0');
    await eventually('the wake', () => bell.rings === 1);
  });

  it('wakes every waiter after a reconnection, and goes on to wake', async () => {
    const bells = [new Bell(), new Bell()];
    await mine.leases.watch('lock', MUTEX, bells[0]!.ring);
    await mine.leases.watch('other', MUTEX, bells[1]!.ring);
    await fixture.observer.call('client', 'kill', 'type', 'pubsub');
    await eventually('the wakes', () => bells.every(({ rings }) => rings === 1));
    expect(await subscribers()).toBe(1);
    const claim = await granted(other, 'lock');
    await other.leases.withdraw(claim, FREE);
    await eventually('the next wake', () => bells[0]!.rings === 2);
  });

  it('stays silent after its end, whatever the connection does', async () => {
    const bell = new Bell();
    const stop = await mine.leases.watch('lock', MUTEX, bell.ring);
    stop();
    await fixture.observer.call('client', 'kill', 'type', 'pubsub');
    await eventually(
      'the reconnection',
      async () => (await subscribers(`bedrock_wake:${mine.processId}`)) === 1,
    );
    await mine.ready();
    await settled(mine);
    expect(bell.rings).toBe(0);
    expect(await subscribers()).toBe(0);
  });

  it('tells a resource that begins like a mark from the mark', async () => {
    const bell = new Bell();
    const suspected: unknown[] = [];
    other.onSuspect((resource) => suspected.push(resource));
    await other.leases.watch('!lock', MUTEX, bell.ring);
    const claim = await granted(mine, '!lock');
    await other.leases.claim(claimOf(other, '!lock'));
    await mine.leases.withdraw(claim, FREE);
    await eventually('the wake', () => bell.rings === 1);
    expect(suspected).toEqual([]);
  });
});

describe('onSuspect', () => {
  it('suspects everything after the commands had to reconnect, and stops with its end', async () => {
    const suspected: unknown[] = [];
    const stop = mine.onSuspect((resource) => suspected.push(resource));
    await fixture.observer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await eventually('the suspicion', () => suspected.length === 1);
    expect(suspected).toEqual([undefined]);
    stop();
    await fixture.observer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await eventually('the reconnection', () =>
      mine.ping().then(
        () => true,
        () => false,
      ),
    );
    expect(suspected).toHaveLength(1);
  });
});
