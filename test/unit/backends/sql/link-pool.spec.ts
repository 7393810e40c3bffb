import { describe, expect, it } from '@jest/globals';
import { ManualClock } from 'bedrock-testkit';
import type {
  SqlResult,
  SqlLink,
  SqlLinkFactory,
  Statement,
} from '../../../../libs/lock/src/backends/sql/connection/link.js';
import { LinkPool } from '../../../../libs/lock/src/backends/sql/connection/link-pool.js';

const TIMEOUT_MS = 1_000;
const ANSWER: SqlResult = { rows: [], affected: 1, insertId: 0 };
const STATEMENT: Statement = { name: '', text: 'SELECT 1', values: [] };

/** A connection whose statements are answered by the test. */
class Wire implements SqlLink {
  isDestroyed = false;
  readonly asked: { answer(): void; fail(error: Error): void }[] = [];
  #onEnd: (() => void) | undefined;

  query(): Promise<SqlResult> {
    return new Promise((resolve, reject) => {
      this.asked.push({ answer: () => resolve(ANSWER), fail: reject });
    });
  }

  onEnd(listener: () => void): void {
    this.#onEnd = listener;
  }

  destroy(): void {
    this.isDestroyed = true;
  }

  break(): void {
    this.#onEnd?.();
  }
}

function poolOf(size: number) {
  const clock = new ManualClock();
  const wires: Wire[] = [];
  let lost = 0;
  const links: SqlLinkFactory = {
    open: () => {
      const wire = new Wire();
      wires.push(wire);
      return Promise.resolve(wire);
    },
    classify: (error) => ((error as Error).message === 'deadlock' ? 'again' : 'no'),
    isUsableAfter: () => true,
  };
  const pool = new LinkPool(links, 'sql', {
    clock,
    size,
    operationTimeoutMs: TIMEOUT_MS,
    onLost: () => (lost += 1),
  });
  const run = (isUrgent = false) => pool.run(STATEMENT, clock.now() + TIMEOUT_MS, isUrgent);
  return { clock, pool, wires, run, lost: () => lost };
}

/** Lets everything run that needs no time. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('connections to a database', () => {
  it('end a statement at its time, however many were answered before, and drop its connection', async () => {
    const { clock, wires, run, lost } = poolOf(1);
    for (let i = 0; i < 5; i++) {
      const answered = run();
      await settle();
      wires[0]!.asked.at(-1)!.answer();
      await answered;
      await clock.advance(300);
    }
    const startedAt = clock.now();
    const late = expect(run()).rejects.toThrow(/no answer within 1000 ms/);
    await settle();
    await clock.advance(TIMEOUT_MS - 1);
    expect(wires[0]!.isDestroyed).toBe(false);
    await clock.advance(2);
    await late;
    expect(clock.now() - startedAt).toBeLessThanOrEqual(TIMEOUT_MS + 1);
    expect(wires[0]!.isDestroyed).toBe(true);
    expect(lost()).toBe(1);
  });

  it('end each of several at its own time', async () => {
    const { clock, wires, run } = poolOf(3);
    const ended: number[] = [];
    const each = [0, 1, 2].map(async (i) => {
      await clock.advance(0);
      await expect(run()).rejects.toThrow(/no answer/);
      ended.push(i);
    });
    await settle();
    await clock.advance(TIMEOUT_MS + 1);
    await Promise.all(each);
    expect(ended).toHaveLength(3);
    expect(wires.every(({ isDestroyed }) => isDestroyed)).toBe(true);
  });

  it('end a statement also when its connection has gone without a word about it', async () => {
    const { clock, wires, run } = poolOf(1);
    const silent = expect(run()).rejects.toThrow(/no answer/);
    await settle();
    wires[0]!.break();
    await clock.advance(TIMEOUT_MS + 1);
    await silent;
  });

  it('end a statement at its time when the pool was closed meanwhile', async () => {
    const { clock, pool, wires, run } = poolOf(1);
    const silent = expect(run()).rejects.toThrow(/no answer/);
    await settle();
    pool.close();
    expect(wires[0]!.isDestroyed).toBe(true);
    await clock.advance(TIMEOUT_MS + 1);
    await silent;
  });

  it('do not mistake an answer that has come for silence, and forget an answer after the time', async () => {
    const { clock, wires, run } = poolOf(1);
    const inTime = run();
    await settle();
    await clock.advance(TIMEOUT_MS - 1);
    wires[0]!.asked[0]!.answer();
    expect(await inTime).toBe(ANSWER);
    const late = expect(run()).rejects.toThrow(/no answer/);
    await settle();
    await clock.advance(TIMEOUT_MS + 1);
    await late;
    wires[0]!.asked[1]!.answer();
    // The next one has a connection of its own.
    const next = run();
    await settle();
    expect(wires).toHaveLength(2);
    wires[1]!.asked[0]!.answer();
    expect(await next).toBe(ANSWER);
  });

  it('try again after a deadlock, and stop when the time is over', async () => {
    const { clock, wires, run } = poolOf(1);
    const done = run();
    await settle();
    wires[0]!.asked[0]!.fail(new Error('deadlock'));
    await settle();
    await clock.advance(10);
    wires[0]!.asked[1]!.answer();
    expect(await done).toBe(ANSWER);

    const lost = expect(run()).rejects.toThrow(/lost against others/);
    const { asked } = wires[0]!;
    for (let tries = 2; clock.now() < 2_100 + TIMEOUT_MS; await clock.advance(1)) {
      await settle();
      if (asked.length > tries) asked[tries++]!.fail(new Error('deadlock'));
      await settle();
    }
    await lost;
  });

  it('lend a connection to the waiting calls, in order, and refuse one that waited too long', async () => {
    const { clock, wires, run } = poolOf(1);
    const first = run();
    const second = run();
    await settle();
    await clock.advance(500);
    const third = expect(run()).rejects.toThrow(/no answer/);
    wires[0]!.asked[0]!.answer();
    await first;
    await settle();
    wires[0]!.asked[1]!.answer();
    await second;
    await settle();
    expect(wires[0]!.asked).toHaveLength(3);
    const fourth = expect(run()).rejects.toThrow(/no connection was free in time/);
    await clock.advance(TIMEOUT_MS + 1);
    await third;
    await fourth;
  });

  it('are lent to urgent calls first, in their order, also when one is tried again', async () => {
    const { clock, wires, run } = poolOf(1);
    const done: string[] = [];
    const all = [
      run(true).then(() => done.push('tried again')),
      run().then(() => done.push('call')),
      run(true).then(() => done.push('urgent')),
      run(true).then(() => done.push('also urgent')),
      run().then(() => done.push('other call')),
    ];
    await settle();
    wires[0]!.asked[0]!.fail(new Error('deadlock'));
    await settle();
    await clock.advance(10);
    await settle();
    for (let at = 1; at <= 5; at += 1) {
      wires[0]!.asked[at]!.answer();
      await settle();
    }
    await Promise.all(all);
    expect(done).toEqual(['urgent', 'also urgent', 'tried again', 'call', 'other call']);
  });
});
