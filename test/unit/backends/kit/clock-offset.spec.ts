import { ManualClock } from 'bedrock-testkit';
import { ClockOffset } from '../../../../libs/lock/src/backends/kit/clock-offset.js';

/** The server's clock is this much ahead of the local one. */
const AHEAD = 500_000.25;

let clock: ManualClock;
let clockOffset: ClockOffset;

beforeEach(() => {
  clock = new ManualClock({ now: 1_000 });
  clockOffset = new ClockOffset(clock, 'ms');
});

const serverMs = (): number => Math.floor(clock.now() + AHEAD);

/** A question that the server reads after `thereMs`, and whose answer is read `backMs` later. */
async function ask(thereMs: number, backMs: number): Promise<void> {
  const sentAt = clock.now();
  await clock.advance(thereMs);
  const told = serverMs();
  await clock.advance(backMs);
  clockOffset.addSample(told, sentAt);
}

describe("the estimate of the server's clock", () => {
  it('is nothing before the first answer: a request is stale on every server', () => {
    expect(clockOffset.isKnown).toBe(false);
    expect(clockOffset.earliestLocalTime(serverMs())).toBe(-Infinity);
    expect(clockOffset.earliestServerTime(clock.now())).toBe(0);
    expect(clockOffset.earliestServerTime(Infinity)).toBe(0);
  });

  it.each([
    [0, 0],
    [0, 40],
    [40, 0],
    [15, 25],
  ])('is on the safe side both ways, after %d ms there and %d ms back', async (there, back) => {
    await ask(there, back);
    await clock.advance(300);
    const [at, server] = [clock.now(), serverMs()];
    // The message about it is late.
    await clock.advance(200);
    expect(clockOffset.earliestLocalTime(server)).toBeLessThanOrEqual(at);
    expect(clockOffset.earliestLocalTime(server)).toBeGreaterThan(at - there - back - 10);
    expect(clockOffset.earliestServerTime(at)).toBeLessThanOrEqual(server);
  });

  it('takes the drift of the clocks off with the age of the sample', async () => {
    await ask(0, 0);
    await clock.advance(60_000);
    // The server has counted 1 % more meanwhile.
    const server = Math.floor(clock.now() + AHEAD + 600);
    expect(clockOffset.earliestLocalTime(server)).toBeLessThanOrEqual(clock.now());
    const at = clock.now() - 60_000;
    expect(clockOffset.earliestLocalTime(Math.floor(at + AHEAD))).toBeLessThanOrEqual(at - 590);
  });

  it('is never later than now, though the server was set forward', async () => {
    await ask(1, 1);
    expect(clockOffset.earliestLocalTime(serverMs() + 3_600_000)).toBe(clock.now());
  });

  it('is as old as it is when the machine has slept meanwhile', async () => {
    await ask(1, 1);
    const server = serverMs();
    clock.suspend(5_000);
    const ageMs = clockOffset.localNow() - clockOffset.earliestLocalTime(server);
    expect(ageMs).toBeGreaterThanOrEqual(5_000);
    expect(ageMs).toBeLessThan(5_000 + 60);
  });

  it('is on the safe side when a wall clock that was set looks like a sleep', async () => {
    await ask(1, 1);
    const [at, server] = [clockOffset.localNow(), serverMs()];
    clock.suspend(5_000);
    // The server has not counted what was no time.
    expect(clockOffset.earliestServerTime(clockOffset.localNow())).toBeLessThanOrEqual(server);
    expect(clockOffset.earliestLocalTime(server)).toBeLessThanOrEqual(at + 5_000);
    await ask(1, 1);
    expect(clockOffset.earliestServerTime(clockOffset.localNow())).toBeGreaterThan(serverMs() - 100);
  });

  it('is the better sample of a second, and forgotten with the connection', async () => {
    await ask(1, 1);
    await ask(50, 50);
    const at = clock.now();
    expect(clockOffset.earliestLocalTime(serverMs())).toBeGreaterThan(at - 10);
    clockOffset.reset();
    expect(clockOffset.earliestLocalTime(serverMs())).toBe(-Infinity);
  });

  it('is asked for again when no reply has carried it for a while', async () => {
    expect(clockOffset.isSampleDueAt(clock.now())).toBe(true);
    await ask(0, 0);
    expect(clockOffset.isSampleDueAt(clock.now() + 249)).toBe(false);
    expect(clockOffset.isSampleDueAt(clock.now() + 250)).toBe(true);
  });
});

describe('a server that tells µs, and callers that do not know when they asked', () => {
  const serverUs = (): number => Math.floor((clock.now() + AHEAD) * 1_000);

  beforeEach(() => {
    clockOffset = new ClockOffset(clock, 'us');
  });

  it('is known to the µs, on the safe side', async () => {
    clockOffset.addSample(serverUs());
    await clock.advance(100);
    const told = clockOffset.earliestServerTime(clock.now());
    expect(told).toBeLessThanOrEqual(serverUs());
    // The drift of 100 ms, and one unit.
    expect(told).toBeGreaterThan(serverUs() - 1_010);
    expect(clockOffset.earliestServerTime(Infinity)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('tells nothing in local time', () => {
    clockOffset.addSample(serverUs());
    expect(clockOffset.earliestLocalTime(serverUs())).toBe(-Infinity);
  });

  it('is asked once when many callers need it', async () => {
    let questions = 0;
    const askServer = async (): Promise<number> => {
      questions += 1;
      return serverUs();
    };
    await Promise.all([1, 2, 3].map(() => clockOffset.whenKnown(askServer)));
    await clockOffset.whenKnown(askServer);
    expect(questions).toBe(1);
    expect(clockOffset.isKnown).toBe(true);
  });

  it('is asked again after a question that failed', async () => {
    await expect(clockOffset.whenKnown(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
    await clockOffset.whenKnown(async () => serverUs());
    expect(clockOffset.isKnown).toBe(true);
  });
});
