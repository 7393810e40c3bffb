import { startRedis, type RunningServer } from 'bedrock-servers';
import { Comparison } from './differential/compare.js';
import { RealServer } from './differential/real-server.js';

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

it('answers every call of every script as a real server does, publishes the same and keeps the same data', async () => {
  const comparison = new Comparison(real, 1);
  for (let batch = 1; comparison.calls < CALLS; batch += 1) {
    await comparison.run();
    if (batch % 100 === 0) await comparison.compareData();
    expect(comparison.differences).toEqual([]);
  }
}, 120_000);
