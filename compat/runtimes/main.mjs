/** `main.mjs BACKEND URL`: what a mutex promises, on the runtime that runs this. Prints what it has seen. */
import assert from 'node:assert/strict';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bedrock } from 'bedrock-lock';

const [name, url] = process.argv.slice(2);
const { [name]: open } = await import(`bedrock-lock/${name}`);
const OPTIONS = { memory: undefined, zookeeper: { connect: url }, etcd: { hosts: url } };
const backend = open(name in OPTIONS ? OPTIONS[name] : { url });
if (name === 'postgres' || name === 'mysql') await backend.ensureSchema();
const bedrock = new Bedrock({ backend, prefix: `runtimes-${process.pid}:` });
await bedrock.ready();
// As the server of an application does: timers of a lock alone keep no process alive.
const alive = setInterval(() => undefined, 60_000);

const CALLERS = 20;
const stock = bedrock.mutex('stock', { waitMs: 30_000 });
let inside = 0;
let sold = 0;
const tokens = [];
await Promise.all(
  Array.from({ length: CALLERS }, () =>
    stock.run(async (lease) => {
      inside += 1;
      assert.equal(inside, 1);
      const seen = sold;
      tokens.push(lease.token);
      await sleep(1);
      sold = seen + 1;
      inside -= 1;
    }),
  ),
);
assert.equal(sold, CALLERS);
assert.ok(tokens.every((token, i) => i === 0 || token > tokens[i - 1]));

await stock.run(() => stock.run((lease) => assert.ok(lease.isHeld)));

const impatient = bedrock.mutex('impatient', { waitMs: 50 });
const held = await impatient.acquire();
await assert.rejects(
  impatient.run(() => undefined),
  { code: 'LOCK_WAIT_TIMEOUT' },
);
await held.release();

const LEASE_MS = 6_000;
const renewed = bedrock.mutex('renewed', { leaseMs: LEASE_MS });
const lease = await renewed.acquire();
await sleep(LEASE_MS + 1_000);
assert.ok(lease.isHeld);
await renewed.forceRelease();
while (!lease.signal.aborted) await sleep(100);
assert.equal(lease.signal.reason.code, 'LOCK_LOST');
await bedrock.close();
clearInterval(alive);
console.log('exclusion, nested call, time-out, renewal, loss');
