import type { Lease } from 'bedrock-lock';
import { claimIdOf, OPERATION_MS, track } from '../bench.js';
import { Shelf } from '../../primitives/locks/shelf.js';

/** Hand-over of the bench: 10 ms. */
const QUANTUM_MS = 10;

describe('readers of one process share a claim', () => {
  let shelf: Shelf;
  beforeEach(() => (shelf = new Shelf()));
  afterEach(() => shelf.close());

  const read = (options = {}) => track(shelf.lock.read.acquire(options));
  const count = (verb: 'claim' | 'withdraw' | 'renew') => shelf.bench.backend.callsOf(verb).length;

  it('within its quantum, without a round trip', async () => {
    const first = await shelf.lock.read.acquire();
    const others = Array.from({ length: 4 }, () => read());
    await shelf.clock.settle();
    expect(new Set([first, ...others.map(({ value }) => value!)].map(claimIdOf)).size).toBe(1);
    expect(new Set([first, ...others.map(({ value }) => value!)].map(({ id }) => id)).size).toBe(5);
    expect([count('claim'), shelf.bench.bedrock.stats().handOvers]).toEqual([1, 4]);
    await shelf.clock.advance(QUANTUM_MS);
    const late = read();
    await shelf.clock.settle();
    expect([count('claim'), claimIdOf(late.value!) === claimIdOf(first)]).toEqual([2, false]);
  });

  it('and come in together when they waited together', async () => {
    const writer = await shelf.rival.write.acquire();
    const readers = Array.from({ length: 5 }, () => read());
    await shelf.clock.advance(QUANTUM_MS);
    const behind = track(shelf.rival.write.acquire());
    await shelf.clock.advance(QUANTUM_MS);
    await writer.release();
    await shelf.clock.settle();
    expect(readers.map(({ state }) => state)).toEqual(Array<string>(5).fill('fulfilled'));
    expect(behind.state).toBe('pending');
    expect(await shelf.held()).toBe('r');
  });

  it('and the last of them gives it back', async () => {
    const leases = [await shelf.lock.read.acquire(), await shelf.lock.read.acquire()];
    const told = shelf.bench.told('lease.released');
    expect(await leases[0]!.release()).toBe('released');
    expect([count('withdraw'), leases[0]!.isHeld, leases[1]!.isHeld]).toEqual([0, false, true]);
    const third = await shelf.lock.read.acquire();
    expect(claimIdOf(third)).toBe(claimIdOf(leases[0]!));
    expect(await leases[1]!.release()).toBe('released');
    expect(count('withdraw')).toBe(0);
    expect(await third.release()).toBe('released');
    expect([count('withdraw'), await shelf.held()]).toEqual([1, '']);
    expect(told.map(({ outcome }) => outcome)).toEqual(['released', 'released', 'released']);
    const next = await shelf.lock.read.acquire();
    expect(claimIdOf(next)).not.toBe(claimIdOf(third));
  });

  it('so a writer elsewhere waits no longer than the quantum and their work', async () => {
    const pass = (ms: number) => new Promise<void>((resolve) => void shelf.clock.setTimer(resolve, ms));
    let isOver = false;
    const stream = Array.from({ length: 4 }, async (_, i) => {
      await pass(i);
      while (!isOver) await shelf.lock.read.run(() => pass(5));
    });
    await shelf.clock.advance(20);
    const writer = track(shelf.rival.write.acquire());
    await shelf.clock.advance(QUANTUM_MS + 6);
    expect(writer.state).toBe('fulfilled');
    isOver = true;
    await writer.value!.release();
    await shelf.clock.advance(100);
    await Promise.all(stream);
  });

  it('but not with a writer ahead in the queue', async () => {
    const first = await shelf.lock.read.acquire();
    const [writer, second] = [track(shelf.lock.write.acquire()), read()];
    await shelf.clock.settle();
    expect([writer.state, second.state]).toEqual(['pending', 'pending']);
    await first.release();
  });

  it('and keep it as long as one of them does, however short another one wanted it', async () => {
    const fixed = await shelf.lock.read.acquire({ leaseMs: 500, renew: false });
    const renewed = await shelf.lock.read.acquire({ leaseMs: 600 });
    expect(claimIdOf(renewed)).toBe(claimIdOf(fixed));
    await shelf.clock.advance(2_000);
    expect([fixed.isHeld, fixed.lossReason, renewed.isHeld]).toEqual([false, 'expired', true]);
    expect(await shelf.held()).toBe('r');
    expect(await renewed.release()).toBe('released');
    expect(await shelf.held()).toBe('');
  });

  it('which one that held too long does not take from the others', async () => {
    const tooLong = await shelf.lock.read.acquire({ maxHoldMs: 100 });
    const other = await shelf.lock.read.acquire();
    await shelf.clock.advance(100 + OPERATION_MS);
    expect([tooLong.lossReason, other.isHeld, await shelf.held()]).toEqual(['maxHold', true, 'r']);
    expect(await other.release()).toBe('released');
  });

  it('and lose it together', async () => {
    const leases = [await shelf.lock.read.acquire(), await shelf.lock.read.acquire()];
    await shelf.bench.inner.leases.withdraw(leases[0]!.hold, { keepMs: 0, leaveQueue: false });
    await shelf.clock.advance(1_500);
    expect(leases.map(({ isHeld, lossReason }) => [isHeld, lossReason])).toEqual([
      [false, 'taken'],
      [false, 'taken'],
    ]);
    expect((await shelf.lock.read.acquire()).isHeld).toBe(true);
  });

  it('which no other reader joins once one of them has lost it', async () => {
    const patient = new Shelf({}, { handOver: { quantumMs: 10_000 } });
    const leases = [await patient.lock.read.acquire(), await patient.lock.read.acquire({ maxHoldMs: 50 })];
    await patient.clock.advance(60);
    const next = await patient.lock.read.acquire();
    expect(leases.map(claimIdOf)).not.toContain(claimIdOf(next));
    await patient.close();
  });

  it('for so many turns as a quantum has', async () => {
    const brief = new Shelf({}, { handOver: { quantumMs: 10_000, quantumGrants: 3 } });
    const leases: Lease[] = [];
    for (let i = 0; i < 7; i += 1) leases.push(await brief.lock.read.acquire());
    const [first, , third, fourth, , sixth, seventh] = leases.map(claimIdOf);
    expect([third === first, fourth === third, sixth === fourth, seventh === sixth]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    await brief.close();
  });

  it('unless too little of its life is left, it was revoked, or its turns are used up', async () => {
    const patient = new Shelf({}, { handOver: { quantumMs: 10_000, quantumGrants: 3 } });
    const { read } = patient.lock;
    const first = await read.acquire();
    const isSame = async (options = {}) => claimIdOf(await read.acquire(options)) === claimIdOf(first);
    expect(await isSame({ leaseMs: 2_000, renew: false })).toBe(true);
    expect(await isSame({ leaseMs: 9_000, renew: false })).toBe(false);
    const [second, third] = [await read.acquire(), await read.acquire()];
    expect(claimIdOf(second)).not.toBe(claimIdOf(first));
    expect(claimIdOf(third)).toBe(claimIdOf(second));
    expect(await read.revoke()).toBe(true);
    await patient.clock.advance(1_500);
    expect(claimIdOf(await read.acquire())).not.toBe(claimIdOf(second));
    await patient.close();
  });

  it('and withdraw it again when a request for it may still arrive', async () => {
    shelf.bench.backend.plan('claim', { kind: 'delay', requestMs: 500, giveUpMs: 1 });
    const first = read();
    await shelf.clock.advance(60);
    const second = await shelf.lock.read.acquire();
    expect(claimIdOf(second)).toBe(claimIdOf(first.value!));
    await first.value!.release();
    await second.release();
    await shelf.clock.advance(2 * OPERATION_MS);
    expect(await shelf.held()).toBe('');
  });

  it('and leave nothing behind when they are closed', async () => {
    const leases = [await shelf.lock.read.acquire(), await shelf.lock.read.acquire()];
    const closed = shelf.bench.bedrock.close({ graceMs: 0 });
    await shelf.clock.advance(OPERATION_MS);
    await closed;
    expect(leases.map(({ lossReason }) => lossReason)).toEqual(['closed', 'closed']);
    expect(await shelf.held()).toBe('');
  });
});
