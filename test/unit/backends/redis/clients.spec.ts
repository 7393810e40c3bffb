import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startProxy } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, ManualClock } from 'bedrock-testkit';
import { Redis, type Command } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { callsOn } from './calls-on.js';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

const CLIENTS = [
  ['5', Redis5 as unknown as typeof Redis],
  ['6', Redis],
] as const;

type Sends = { sendCommand(command: Command): unknown };

/** Wraps every command as tracers do: `resolve` and `reject` are kept, and called as plain functions. */
function trace(client: Sends): () => void {
  const { sendCommand } = client;
  client.sendCommand = function (this: Sends, command) {
    const result = sendCommand.call(this, command);
    const { resolve, reject } = command;
    command.resolve = (reply: unknown) => resolve(reply);
    command.reject = (error: Error) => reject(error);
    return result;
  };
  return () => void (client.sendCommand = sendCommand);
}

describe.each(CLIENTS)('a client of ioredis %s', (_version, Client) => {
  it('may be traced', async () => {
    const client = new Client(fixture.server.url);
    const untrace = trace(Client.prototype);
    const bedrock = new Bedrock({ backend: redis({ client, operationTimeoutMs: 300 }) });
    try {
      await expect(bedrock.mutex('job', { waitMs: 600 }).run(() => 'ran')).resolves.toBe('ran');
      await fixture.observer.script('FLUSH');
      await expect(bedrock.mutex('job', { waitMs: 600 }).run(() => 'ran')).resolves.toBe('ran');
    } finally {
      untrace();
      await bedrock.close({ graceMs: 0 });
      client.disconnect();
    }
  });

  it('comes back when a connection was lost during its greeting', async () => {
    const proxy = await startProxy(fixture.server.port);
    const client = new Client({ port: proxy.port, lazyConnect: true });
    const mine = await fixture.backend({ client, operationTimeoutMs: 2_000 });
    const isGranted = () =>
      mine.leases.claim(claimOf(mine, 'job')).then(
        ({ kind }) => kind === 'granted',
        () => false,
      );
    try {
      proxy.dropReplies(true);
      proxy.cut();
      await eventually('two greetings on the server', async () => {
        const clients = String(await fixture.observer.client('LIST'));
        return proxy.connections === 2 && clients.match(/name=bedrock /g)?.length === 2;
      });
      proxy.cut();
      proxy.dropReplies(false);
      await eventually('a grant', isGranted, { withinMs: 8_000 });
    } finally {
      await fixture.clean();
      await proxy.stop();
    }
  });
});

describe('the calls in flight', () => {
  it('end in their time, also when another begins while the first is given up', async () => {
    const clock = new ManualClock({ now: 0 });
    const { calls } = callsOn(clock, { operationTimeoutMs: 100 });
    const ended: Record<string, number> = {};
    const ask = (name: string): void =>
      calls.run('get', '', { replied: () => undefined, failed: () => (ended[name] = clock.now()) });
    ask('first');
    await clock.advance(10);
    ask('second');
    clock.setTimer(() => ask('third'), 90);
    await clock.advance(500);
    expect(ended).toEqual({ first: 100, second: 110, third: 200 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('end in their time while a longer silence is waited for, which ends the connection', async () => {
    const clock = new ManualClock({ now: 0 });
    const silences: number[] = [];
    const { calls } = callsOn(clock, {
      operationTimeoutMs: 100,
      silenceMs: 1_000,
      onSilence: () => silences.push(clock.now()),
    });
    const ended: Record<string, number> = {};
    const ask = (name: string): void =>
      calls.run('get', '', { replied: () => undefined, failed: () => (ended[name] = clock.now()) });
    ask('first');
    await clock.advance(300);
    ask('second');
    await clock.advance(2_000);
    expect(ended).toEqual({ first: 100, second: 400 });
    expect(silences).toEqual([1_000]);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe.each([
  ['shared', 'bedrock_token'],
  ['perLock', 'redisson_lock_token:{order}'],
] as const)('tokens %s', (tokens, counter) => {
  it.each(['inf', '1e300', '9223372036854775807', '9007199254740991'])(
    'grow when their counter holds %s',
    async (junk) => {
      const mine = await fixture.backend({ tokens });
      await fixture.observer.set(counter, junk);
      const given: number[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const claim = await granted(mine, 'order', { tokens: 8 });
        given.push(claim.token, claim.token + 7);
        await mine.leases.withdraw(claim, FREE);
      }
      expect(
        given.filter((token, i) => !(Number.isSafeInteger(token) && token > (given[i - 1] ?? 0))),
      ).toEqual([]);
    },
  );
});
