import { jest } from '@jest/globals';
import { Controller, Get, Logger } from '@nestjs/common';
import { BackendUnavailableError, InvalidOptionError } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';
import { DistributedLock } from 'nestjs-bedrock';
import request from 'supertest';
import { closeAll, locksOf, serve, start } from '../app.js';

@Controller()
class Orders {
  @Get()
  @DistributedLock('order')
  async place(): Promise<string> {
    return 'placed';
  }
}

const spyOn = (method: 'log' | 'warn' | 'error') =>
  jest.spyOn(Logger.prototype, method).mockImplementation(() => undefined);
let warned: ReturnType<typeof spyOn>;
let failed: ReturnType<typeof spyOn>;
let logged: ReturnType<typeof spyOn>;

beforeEach(() => {
  warned = spyOn('warn');
  failed = spyOn('error');
  logged = spyOn('log');
});
afterEach(async () => {
  await closeAll();
  jest.restoreAllMocks();
});

const away = () => new BackendUnavailableError('memory', 'gone', 'no');

function degraded() {
  const clock = new ManualClock();
  const backend = new FaultyBackend(memory({ clock }), { clock });
  const ready = jest.spyOn(backend, 'ready');
  const ping = jest.spyOn(backend, 'ping');
  const options = { backend: () => backend, clock, startDegraded: true, defaults: { failFast: true } };
  const metadata = { imports: [locksOf(['order'], options)], controllers: [Orders] };
  return { clock, backend, ready, ping, metadata };
}

/** A wait for a server that is just starting. */
const forLong = () => new Promise<never>(() => undefined);

describe('an application with startDegraded', () => {
  it('starts with the first request that fails, and does not wait for a server that may be starting', async () => {
    const { ready, ping, metadata } = degraded();
    ready.mockImplementation(forLong);
    ping.mockRejectedValue(away());
    await start(metadata);
    expect(warned.mock.calls).toEqual([
      [expect.stringMatching(/^backend "default": .*gone.* fail with 503/)],
    ]);
  });

  it('waits one more operationTimeoutMs for a backend that answers, and is not ready', async () => {
    const { clock, backend, ready, metadata } = degraded();
    ready.mockImplementation(forLong);
    let hasStarted = false;
    const starting = start(metadata).then(() => (hasStarted = true));
    await clock.advance(backend.operationTimeoutMs - 1);
    expect(hasStarted).toBe(false);
    await clock.advance(1);
    await starting;
    expect(warned.mock.calls).toEqual([[expect.stringContaining('it answers but is not ready')]]);
  });

  it('answers 503 until the backend is there', async () => {
    const { clock, backend, ready, ping, metadata } = degraded();
    ready.mockRejectedValueOnce(away());
    ping.mockRejectedValueOnce(away());
    backend.plan('claim', { kind: 'refuse' });
    const app = await serve(metadata);
    const http = () => request(app.getHttpServer() as never).get('/');
    await http().expect(503);
    await clock.advance(1_000);
    expect(logged).toHaveBeenCalledWith('backend "default" (memory) is available now');
    await http().expect(200, 'placed');
  });

  it('logs once what a backend refuses that is there at last', async () => {
    const { clock, ready, metadata } = degraded();
    const refusal = new InvalidOptionError('maxLeaseMs', 'that of the other processes', 5);
    ready.mockRejectedValueOnce(away());
    for (let turn = 0; turn < 3; turn += 1) ready.mockRejectedValueOnce(refusal);
    await start(metadata);
    await clock.advance(10_000);
    expect(failed.mock.calls).toEqual([[`backend "default": ${refusal.message}`]]);
    expect(logged).toHaveBeenCalledWith('backend "default" (memory) is available now');
  });
});
