import { jest } from '@jest/globals';
import { type RunningServer, startRedis } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const APP = fileURLToPath(new URL('crashing-app.mjs', import.meta.url));

jest.setTimeout(180_000);

let server: RunningServer;
const kills: (() => void)[] = [];
beforeEach(async () => {
  server = await startRedis();
});
afterEach(async () => {
  for (const kill of kills.splice(0)) kill();
  await server.stop();
});

/** An application in a process of its own, and what sends it the payment. */
async function payments(adapter: string, when: string) {
  const child = spawn(process.execPath, [APP, server.url, adapter, when], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  kills.push(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  const early = ended.then(([code]) => Promise.reject(new Error(`ended with ${code}`)));
  const [port] = (await Promise.race([once(createInterface(child.stdout), 'line'), early])) as [string];
  early.catch(() => undefined);
  const pay = async () => {
    const headers = { 'Idempotency-Key': 'key', connection: 'close' };
    const response = await fetch(`http://127.0.0.1:${port}/payments`, { method: 'POST', headers });
    const body = (await response.json()) as { run?: number; code?: string };
    return { status: response.status, body, isReplay: response.headers.has('idempotent-replayed') };
  };
  return { pay, ended };
}

describe.each(['express', 'fastify'])('a process that is killed while it answers, on %s', (adapter) => {
  it('before the first byte leaves: a retry gets the answer, and the body does not run again', async () => {
    const first = await payments(adapter, 'before-sending');
    await expect(first.pay()).rejects.toThrow('fetch failed');
    expect(await first.ended).toEqual([null, 'SIGKILL']);
    const second = await payments(adapter, 'never');
    expect(await second.pay()).toEqual({ status: 201, body: { run: 1 }, isReplay: true });
  });

  it('between the body and the store: a retry is refused until the lease has ended, and runs then', async () => {
    const first = await payments(adapter, 'after-body');
    await expect(first.pay()).rejects.toThrow('fetch failed');
    expect(await first.ended).toEqual([null, 'SIGKILL']);
    const second = await payments(adapter, 'never');
    const codes = new Set<string | undefined>();
    await eventually('a run', async () => {
      const { status, body, isReplay } = await second.pay();
      if (status !== 201) codes.add(body.code);
      else expect([body.run, isReplay]).toEqual([2, false]);
      return status === 201;
    });
    for (const code of codes) expect(code).toBe('IDEMPOTENCY_IN_FLIGHT');
    expect(await second.pay()).toEqual({ status: 201, body: { run: 2 }, isReplay: true });
  });
});
