import { ManualClock } from 'bedrock-testkit';
import { ServerTime } from '../../../../libs/lock/src/backends/redis/connection/server-time.js';

/** The server's clock is this much ahead of the local one. */
const AHEAD = 500_000.25;

let clock: ManualClock;
let time: ServerTime;

beforeEach(() => {
  clock = new ManualClock({ now: 1_000 });
  time = new ServerTime(clock);
});

const serverMs = (): number => Math.floor(clock.now() + AHEAD);

/** A question that the server reads after `thereMs`, and whose answer is read `backMs` later. */
async function ask(thereMs: number, backMs: number): Promise<void> {
  const sentAt = clock.now();
  await clock.advance(thereMs);
  const told = serverMs();
  await clock.advance(backMs);
  time.learn(told, sentAt);
}

describe("what is known of the server's clock", () => {
  it('is nothing before the first answer', () => {
    expect(time.notLaterLocally(serverMs())).toBe(-Infinity);
    expect(time.notLaterThan(clock.now())).toBe(-Infinity);
  });

  it.each([
    [0, 0],
    [0, 40],
    [40, 0],
    [15, 25],
  ])('is on the safe side both ways, after a trip of %d ms there and %d ms back', async (there, back) => {
    await ask(there, back);
    await clock.advance(300);
    const [at, server] = [clock.now(), serverMs()];
    // The message about it is late.
    await clock.advance(200);
    expect(time.notLaterLocally(server)).toBeLessThanOrEqual(at);
    expect(time.notLaterLocally(server)).toBeGreaterThan(at - there - back - 10);
    expect(time.notLaterThan(at)).toBeLessThanOrEqual(server);
  });

  it('takes the drift of the clocks off with the age of the sample', async () => {
    await ask(0, 0);
    await clock.advance(60_000);
    // The server has counted 1 % more meanwhile.
    const server = Math.floor(clock.now() + AHEAD + 600);
    expect(time.notLaterLocally(server)).toBeLessThanOrEqual(clock.now());
    const at = clock.now() - 60_000;
    expect(time.notLaterLocally(Math.floor(at + AHEAD))).toBeLessThanOrEqual(at - 590);
  });

  it('is never later than now, though the server was set forward', async () => {
    await ask(1, 1);
    expect(time.notLaterLocally(serverMs() + 3_600_000)).toBe(clock.now());
  });

  it('is as old as it is when the machine has slept meanwhile', async () => {
    await ask(1, 1);
    const server = serverMs();
    clock.suspend(5_000);
    const ageMs = time.localNow() - time.notLaterLocally(server);
    expect(ageMs).toBeGreaterThanOrEqual(5_000);
    expect(ageMs).toBeLessThan(5_000 + 60);
  });

  it('is on the safe side when a wall clock that was set looks like a sleep', async () => {
    await ask(1, 1);
    const [at, server] = [time.localNow(), serverMs()];
    clock.suspend(5_000);
    // The server has not counted what was no time.
    expect(time.notLaterThan(time.localNow())).toBeLessThanOrEqual(server);
    expect(time.notLaterLocally(server)).toBeLessThanOrEqual(at + 5_000);
    await ask(1, 1);
    expect(time.notLaterThan(time.localNow())).toBeGreaterThan(serverMs() - 100);
  });

  it('is the better sample of a second, and forgotten with the connection', async () => {
    await ask(1, 1);
    await ask(50, 50);
    const at = clock.now();
    expect(time.notLaterLocally(serverMs())).toBeGreaterThan(at - 10);
    time.forget();
    expect(time.notLaterLocally(serverMs())).toBe(-Infinity);
  });
});
