import type { Clock } from 'bedrock-lock';
import { systemClock } from 'bedrock-lock/integration';
import { ManualClock } from 'bedrock-testkit';
import { SuspendAwareClock, suspendAware } from '../../../libs/lock/src/core/suspend-aware-clock.js';

/** A clock that also counts sleep, by steps of 10 ms, as Linux has one; and whose wall clock can be set. */
class Machine extends ManualClock {
  #sleptMs = 0;
  #setMs = 0;
  readonly #bootedAt: number;

  constructor(now = 1_000) {
    super({ now });
    this.#bootedAt = now - 500_000;
  }

  override wall(): number {
    return Math.floor(super.wall() + this.#setMs);
  }

  sinceBoot(): number {
    return Math.floor((this.now() + this.#sleptMs - this.#bootedAt) / 10) * 10;
  }

  override suspend(ms: number): void {
    super.suspend(ms);
    this.#sleptMs += ms;
  }

  /** An operator sets the wall clock. */
  set(ms: number): void {
    this.#setMs += ms;
  }
}

/** The same machine, of which nothing is known but the two clocks. */
function withoutBoot(machine: Machine): Clock {
  return {
    now: () => machine.now(),
    wall: () => machine.wall(),
    setTimer: (callback, ms) => machine.setTimer(callback, ms),
    clearTimer: (timer) => machine.clearTimer(timer),
    afterPoll: (callback) => machine.afterPoll(callback),
    random: () => machine.random(),
    randomBytes: (size) => machine.randomBytes(size),
  };
}

const kinds = [
  ['with a clock that counts sleep', (machine: Machine): Clock => machine],
  ['with the wall clock alone', withoutBoot],
] as const;

describe.each(kinds)('a clock that counts sleep, %s', (_name, clockOf) => {
  let machine: Machine;
  let clock: SuspendAwareClock;

  beforeEach(() => {
    machine = new Machine();
    clock = new SuspendAwareClock(clockOf(machine));
  });

  it('is the monotonic clock while the machine does not sleep', () => {
    for (let i = 0; i < 1_000; i += 1) {
      machine.block(0.37);
      expect(clock.now()).toBe(machine.now());
    }
    expect(clock.sleptMs).toBe(0);
  });

  it.each([100, 1_000, 300_000])('goes on while the machine sleeps for %i ms', (ms) => {
    const before = clock.now();
    machine.suspend(ms);
    expect(clock.now() - before).toBeGreaterThan(ms - 3);
    expect(clock.now() - before).toBeLessThan(ms + 3);
    expect(clock.sleptMs).toBe(clock.now() - machine.now());
  });

  it('adds up sleeps, however short', () => {
    const before = clock.now();
    for (let i = 0; i < 100; i += 1) {
      machine.suspend(10);
      machine.block(5);
      clock.now();
    }
    expect(Math.abs(clock.now() - before - 1_500)).toBeLessThan(3);
  });

  it.each([-60_000, -40, -5])(
    'is not set back with the wall clock by %i ms, and misses no sleep after that',
    (ms) => {
      const before = clock.now();
      machine.set(ms);
      expect(clock.now()).toBe(before);
      machine.suspend(500);
      expect(Math.abs(clock.now() - before - 500)).toBeLessThan(3);
    },
  );

  it('takes a reading that was interrupted for what it is', () => {
    let interruptions = 2;
    const slow = {
      ...withoutBoot(machine),
      now: () => {
        if (interruptions-- > 0) machine.block(200);
        return machine.now();
      },
    };
    const interrupted = new SuspendAwareClock(slow);
    for (let i = 0; i < 5; i += 1) {
      interruptions = i % 2;
      expect(interrupted.now()).toBe(machine.now());
    }
    machine.suspend(1_000);
    expect(Math.abs(interrupted.sleptMs - 1_000)).toBeLessThan(3);
  });
});

describe('a wall clock that is set forward', () => {
  it('is no sleep where the clock that counts sleep agrees with the monotonic one', () => {
    const machine = new Machine();
    const clock = new SuspendAwareClock(machine);
    machine.set(3_600_000);
    expect(clock.now()).toBe(machine.now());
    machine.suspend(700);
    expect(Math.abs(clock.sleptMs - 700)).toBeLessThan(3);
  });

  it.each([40, -40])('is no sleep after many small steps of %i ms, which a time service makes', (stepMs) => {
    const machine = new Machine();
    const clock = new SuspendAwareClock(machine);
    for (let step = 0; step < 30; step += 1) {
      machine.set(stepMs);
      machine.block(1_000);
      clock.now();
    }
    const before = clock.now();
    machine.set(3_600_000);
    expect(clock.now() - before).toBe(0);
    machine.suspend(1_200);
    expect(Math.abs(clock.now() - before - 1_200)).toBeLessThan(30);
  });

  it('is a sleep where nothing says otherwise', () => {
    const machine = new Machine();
    const clock = new SuspendAwareClock(withoutBoot(machine));
    machine.set(3_600_000);
    expect(clock.sleptMs).toBe(3_600_000);
  });

  it('hides no sleep, set forward or back', () => {
    for (const setMs of [2_000, -2_000, -200_000]) {
      const machine = new Machine();
      const clock = new SuspendAwareClock(machine);
      machine.set(setMs);
      machine.suspend(5_000);
      expect(clock.sleptMs).toBeGreaterThan(5_000 - 30);
    }
  });

  it('asks for the clock that counts sleep only when the wall clock runs ahead', () => {
    const machine = new Machine();
    let asked = 0;
    const clock = new SuspendAwareClock({
      ...withoutBoot(machine),
      sinceBoot: () => ((asked += 1), machine.sinceBoot()),
    });
    const atFirst = asked;
    for (let i = 0; i < 100; i += 1) {
      machine.block(1);
      clock.now();
    }
    expect(asked).toBe(atFirst);
    machine.suspend(60);
    clock.now();
    expect(asked).toBeGreaterThan(atFirst);
    const once = asked;
    clock.now();
    expect(asked).toBe(once);
  });
});

it('is one for each clock, and the system tells how long it has been up', () => {
  expect(suspendAware(systemClock)).toBe(suspendAware(systemClock));
  expect(suspendAware(suspendAware(systemClock))).toBe(suspendAware(systemClock));
  const upMs = systemClock.sinceBoot!();
  if (process.platform === 'linux') expect(upMs).toBeGreaterThan(0);
  else expect(upMs).toBeUndefined();
});
