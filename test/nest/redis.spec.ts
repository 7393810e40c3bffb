import { jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { redis } from 'bedrock-lock/redis';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bedrockOf, closeAll, locksOf, start } from './app.js';

const run = promisify(execFile);
const CLOSING_APP = fileURLToPath(new URL('closing-app.mjs', import.meta.url));

jest.setTimeout(180_000);

let server: RunningServer;
beforeAll(async () => {
  server = await startRedis();
});
afterEach(closeAll);
afterAll(() => server.stop());

@Injectable()
class Till {
  static cash = 0;
  static readonly tokens: number[] = [];

  @DistributedLock({ lock: 'till', key: '{0}' })
  async pay(_till: number): Promise<void> {
    const before = Till.cash;
    Till.tokens.push(currentLease()!.token);
    await new Promise((resolve) => setImmediate(resolve));
    Till.cash = before + 1;
  }
}

describe('applications on one Redis', () => {
  it('share their locks: no payment is lost, and the tokens grow', async () => {
    const backend = () => redis({ url: server.url });
    const apps = await Promise.all(
      [1, 2, 3].map(() => start({ imports: [locksOf(['till'], { backend })], providers: [Till] })),
    );
    const payments = apps.flatMap((app) => Array.from({ length: 50 }, () => app.get(Till).pay(1)));
    await Promise.all(payments);
    expect(Till.cash).toBe(150);
    expect(Till.tokens).toEqual([...new Set(Till.tokens)].sort((one, other) => one - other));
    expect(bedrockOf(apps[0]!).bedrock().stats().holds).toBe(0);
  });

  it('do not start when the server does not answer', async () => {
    const backend = () => redis({ url: 'redis://127.0.0.1:1' });
    await expect(start({ imports: [locksOf(['till'], { backend })] })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  it('end by themselves after app.close(): no handle stays open', async () => {
    const { stdout } = await run(process.execPath, [CLOSING_APP, server.url], { timeout: 20_000 });
    expect(stdout).toBe('ran under closing\nclosed\n');
  });
});
