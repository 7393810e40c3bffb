/**
 * A job that schedules its successor from inside of its own `run`, again and again: `node --expose-gc chains-main.mjs <how>`. Prints
 * the time of a run and the heap, at a fifth of the way and at its end.
 */
import { Bedrock, runInFlow } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { EventEmitter, on } from 'node:events';
import { performance } from 'node:perf_hooks';
import { clearInterval, setImmediate, setInterval } from 'node:timers';

const [, , way] = process.argv;
// A timer takes a millisecond.
const RUNS = way === 'interval' ? 10_000 : 100_000;
const bedrock = new Bedrock({ backend: memory() });
const lock = bedrock.mutex('job');
let runs = 0;
let finish;
const done = new Promise((resolve) => (finish = resolve));
const marks = [];
let startedAt = performance.now();

/** Whether another one is wanted. */
function counted() {
  runs += 1;
  if (runs % (RUNS / 5) !== 0) return true;
  const us = ((performance.now() - startedAt) * 1_000) / (RUNS / 5);
  globalThis.gc();
  marks.push({ us, heapMb: process.memoryUsage().heapUsed / 2 ** 20 });
  startedAt = performance.now();
  if (runs === RUNS) finish();
  return runs < RUNS;
}

const WAYS = {
  setImmediate() {
    void lock.run(() => {
      if (counted()) setImmediate(WAYS.setImmediate);
    });
  },
  // Its successor begins while it still runs.
  overlapping() {
    void lock.run(
      async () => {
        if (!counted()) return;
        setImmediate(WAYS.overlapping);
        for (let turns = 0; turns < 2; turns += 1) await new Promise(setImmediate);
      },
      { waitMs: 60_000 },
    );
  },
  flow() {
    void runInFlow(async () => {
      await lock.lock();
      if (counted()) setImmediate(WAYS.flow);
      await lock.unlock();
    });
  },
  emitter() {
    const emitter = new EventEmitter();
    emitter.on('next', () =>
      lock.run(() => {
        if (counted()) setImmediate(() => emitter.emit('next'));
      }),
    );
    emitter.emit('next');
  },
  async interval() {
    // Each timer is set from inside of a run of the one before.
    const tick = () =>
      lock.run(() => {
        const timer = setInterval(() => {
          clearInterval(timer);
          void tick();
        }, 0);
        if (!counted()) clearInterval(timer);
      });
    await tick();
  },
  async generator() {
    const emitter = new EventEmitter();
    async function* jobs() {
      for await (const [job] of on(emitter, 'job')) {
        await lock.run(() => setImmediate(() => emitter.emit('job', job + 1)));
        yield job;
      }
    }
    setImmediate(() => emitter.emit('job', 0));
    for await (const job of jobs()) if (job < 0 || !counted()) break;
  },
};

void WAYS[way]();
await done;
console.log(JSON.stringify(marks));
await bedrock.close({ graceMs: 0 });
process.exit();
