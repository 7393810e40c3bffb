import { startRedis, type RunningServer } from 'bedrock-servers';
import { Comparison } from './differential/compare.js';
import { RealServer } from './differential/real-server.js';
import { SimulatedServer } from './differential/simulated-server.js';

/** Of the issue; each is one execution of a script. */
const CALLS = 100_000;

let server: RunningServer;
let real: RealServer;

beforeAll(async () => {
  server = await startRedis();
  real = new RealServer(server.port);
  await real.open();
});

afterAll(async () => {
  real.close();
  await server.stop();
});

/** The server needs some 100 ms for the loop: keys that were given 20 ms are over at the end, and not before. */
const SLOW_SCRIPT = `
redis.call('HSET', KEYS[1], 'a', '1')
redis.call('HSET', KEYS[2], 'b', '1')
for i = 1, 3e7 do end
redis.call('PEXPIRE', KEYS[1], '20')
redis.call('PEXPIRE', KEYS[2], '20')
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], 'b', '1')
local count = redis.call('HINCRBY', KEYS[1], 'a', '1')
return { count, redis.call('PTTL', KEYS[1]), redis.call('PTTL', KEYS[2]) }`;

it('keeps to the instant of a script that outlasts its keys', async () => {
  const keys = ['{slow}a', '{slow}b'];
  expect(await replyTo(SLOW_SCRIPT, keys)).toEqual([2, 20, -1]);
  expect(await replyTo("return { redis.call('EXISTS', KEYS[1]), redis.call('DEL', KEYS[2]) }", keys)).toEqual(
    [0, 1],
  );
});

/** The end of the key is set in its own millisecond. */
const LAST_MOMENT_SCRIPT = `
redis.call('SET', KEYS[1], '')
repeat local time = server.call('TIME') until time[1] * 1000 + math.floor(time[2] / 1000) >= snapshot + 3
return redis.call('PEXPIRE', KEYS[1], '3')`;

it('removes a key in the millisecond in which every other key would go', async () => {
  const keys = ['{last}a'];
  for (let round = 0; round < 100; round += 1) {
    real.ask({ name: 'end', source: LAST_MOMENT_SCRIPT, keys, argv: [] }, 0, 0);
    real.ask({ name: 'look', source: "return redis.call('EXISTS', KEYS[1])", keys, argv: [] }, 0, 0);
    const [ended, seen] = await real.replies();
    if (ended === undefined || seen === undefined) continue;
    expect(seen[1]).toBe(seen[0] > ended[0] + 3 ? 0 : 1);
  }
});

/** Numbers as texts, as parts of texts and as arguments of commands. */
const NUMBERS_SCRIPT = `
local written = {}
for at, number in ipairs(ARGV) do
  redis.call('SET', KEYS[1], -number)
  written[at] = { tostring(-number), string.format('%.0f', -number), redis.call('GET', KEYS[1]) }
end
redis.call('DEL', KEYS[1])
return written`;

it('writes numbers as the server does', async () => {
  const argv = ['0', '1', '-1', '0.4', '-0.5', '1.5', '1e15', '1e17', '0.1'];
  const numbers = { name: 'numbers', source: NUMBERS_SCRIPT, keys: ['{numbers}a'], argv };
  const simulated = new SimulatedServer().ask(numbers);
  expect(await replyTo(NUMBERS_SCRIPT, numbers.keys, argv)).toEqual(simulated);
});

/** Asked until the instant is beyond doubt. */
async function replyTo(
  source: string,
  keys: readonly string[],
  argv: readonly string[] = [],
): Promise<unknown> {
  for (;;) {
    real.ask({ name: 'one script', source, keys, argv }, 0, 0);
    const [reply] = await real.replies();
    if (reply !== undefined) return reply[1];
  }
}

it('answers every call of every script as a real server does, publishes the same and keeps the same data', async () => {
  const comparison = new Comparison(real, 1);
  for (let batch = 1; comparison.calls < CALLS; batch += 1) {
    await comparison.run();
    if (batch % 100 === 0) await comparison.compareData();
    expect(comparison.differences).toEqual([]);
  }
}, 120_000);
