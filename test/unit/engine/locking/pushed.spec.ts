import type { Lease, LockOptions } from 'bedrock-lock';
import type { Claim, PushedGrant, Waker } from 'bedrock-lock/backend';
import { Bench, claimIdOf, track, type Tracked } from '../bench.js';

/** A server that grants by itself: what its push would bring, when the test says so. */
class Server {
  readonly bench = new Bench();
  readonly #wakers: Waker[] = [];
  #held: Lease | undefined;

  constructor() {
    const { backend } = this.bench;
    const watch = backend.watch.bind(backend);
    backend.watch = (resource, shape, waker) => {
      this.#wakers.push(waker);
      return watch(resource, shape, waker);
    };
  }

  get claims(): readonly Claim[] {
    return this.bench.backend.callsOf('claim').map(({ input }) => input);
  }

  /** Another process holds the lock; a caller of ours waits and is in the queue. */
  async waiter(options: LockOptions = {}, signal?: AbortSignal): Promise<Tracked<Lease>> {
    const { bench } = this;
    this.#held ??= await bench.rival.acquire();
    const waiter = track(bench.lock(options).acquire({ ...(signal && { signal }) }));
    await bench.clock.advance(1);
    bench.backend.dropsWakes = true;
    return waiter;
  }

  /** The holder leaves, and the server grants to the claim that was asked for last. */
  async push(terms: Partial<PushedGrant> = {}, meanwhile?: () => void, claimId?: string): Promise<Claim> {
    const { claim, token } = await this.grant();
    meanwhile?.();
    this.tell(claim, { token, ...terms }, claimId);
    await this.bench.clock.advance(0);
    return claim;
  }

  async grant(): Promise<{ claim: Claim; token: number }> {
    const { bench } = this;
    const claim = this.claims.at(-1)!;
    await this.#held!.release();
    const verdict = await bench.inner.leases.claim({ ...claim, notAfter: Infinity, leaseMs: 1_000 });
    if (verdict.kind !== 'granted') throw new Error(verdict.kind);
    return { claim, token: verdict.token };
  }

  tell({ id, tokens }: Claim, terms: Partial<PushedGrant> & { token: number }, claimId = id): void {
    const since = this.bench.clock.now();
    const grant = { tokens, leaseMs: 1_000, since, ...terms };
    for (const waker of this.#wakers) waker({ claimId, grant });
  }

  /** Asks the head to ask again. */
  wake(): void {
    for (const waker of this.#wakers) waker();
  }
}

let server: Server;

beforeEach(() => {
  server = new Server();
});
afterEach(() => server.bench.close());

describe('a grant that the server pushes', () => {
  it('is a turn without a further question', async () => {
    const waiter = await server.waiter();
    const asked = server.claims.length;
    const { bench } = server;
    bench.backend.plan('renew', { kind: 'delay', replyMs: 100 });
    const claim = await server.push({ token: 77 });
    expect(waiter.state).toBe('fulfilled');
    const lease = waiter.value!;
    expect(lease.token).toBe(77);
    expect(claimIdOf(lease)).toBe(claim.id);
    expect(lease.remainingMs).toBeLessThanOrEqual(1_000 * 0.99);
    expect(server.claims.length).toBe(asked);
    expect(await bench.grants()).toEqual([claim.id]);
  });

  it('counts from the instant that the server granted it', async () => {
    const waiter = await server.waiter();
    const at = server.bench.clock.now() - 200;
    server.bench.backend.plan('renew', { kind: 'delay', replyMs: 100 });
    await server.push({ since: at });
    expect(waiter.value!.validUntil).toBeLessThanOrEqual(at + 990);
  });

  it('becomes the whole lease with its first renewal, which is sent in the same turn', async () => {
    const waiter = await server.waiter();
    await server.push();
    await server.bench.clock.settle();
    expect(server.bench.backend.callsOf('renew').at(-1)!.input).toMatchObject([{ leaseMs: 3_000 }]);
    expect(waiter.value!.remainingMs).toBeGreaterThan(2_900);
  });

  it('is not renewed when it is released in the same turn', async () => {
    const waiter = await server.waiter();
    const released = waiter.settled.then(() => waiter.value!.release());
    await server.push();
    await released;
    await server.bench.clock.advance(50);
    expect(server.bench.backend.callsOf('renew')).toEqual([]);
  });

  it('survives a stall of nearly its short life, and more once it is renewed', async () => {
    const waiter = await server.waiter();
    await server.push();
    await server.bench.clock.settle();
    server.bench.clock.block(2_500);
    await server.bench.clock.advance(100);
    expect(waiter.value!.isHeld).toBe(true);
  });

  it('is handed over to the next caller of the process at once', async () => {
    const first = await server.waiter();
    const second = await server.waiter();
    const claim = await server.push();
    await first.value!.release();
    await second.settled;
    expect(claimIdOf(second.value!)).toBe(claim.id);
  });

  it('means nothing to another claim', async () => {
    const waiter = await server.waiter();
    await server.push({}, undefined, 'somebody:1');
    expect(waiter.state).toBe('pending');
  });

  it('is not taken for another one when a question for the same claim was answered first', async () => {
    const { bench } = server;
    const [first, second] = [await server.waiter(), await server.waiter()];
    const { claim, token } = await server.grant();
    bench.backend.plan('claim', { kind: 'delay', replyMs: 10 });
    server.wake();
    await bench.clock.advance(5);
    server.tell(claim, { token });
    await bench.clock.advance(5);
    expect(claimIdOf(first.value!)).toBe(claim.id);
    await bench.clock.advance(50);
    await first.value!.release();
    await second.settled;
    expect(await bench.grants()).toEqual([claimIdOf(second.value!)]);
  });

  it('goes back when its waiter has left meanwhile', async () => {
    const controller = new AbortController();
    const waiter = await server.waiter({}, controller.signal);
    await server.push({}, () => controller.abort());
    await waiter.settled;
    expect(waiter.state).toBe('rejected');
    await server.bench.clock.advance(50);
    expect(await server.bench.grants()).toEqual([]);
  });

  it.each([
    ['a fixed lease', { renew: false }],
    ['a time to hold at least', { holdAtLeastMs: 2_000 }],
  ])('is never promised to a caller that wants %s', async (_, options) => {
    await server.waiter(options);
    expect(server.claims.at(-1)).toMatchObject({ mayPush: false, queue: true });
  });

  it('goes back, and is asked for anew, when it comes so late that little is left of it', async () => {
    const waiter = await server.waiter();
    const claim = await server.push({ since: server.bench.clock.now() - 800 });
    await server.bench.clock.advance(50);
    await waiter.settled;
    expect(claimIdOf(waiter.value!)).not.toBe(claim.id);
    expect(await server.bench.grants()).toEqual([claimIdOf(waiter.value!)]);
  });
});
