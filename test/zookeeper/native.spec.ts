import type { NativeZooKeeper } from 'bedrock-lock/zookeeper';
import type { TcpProxy } from 'bedrock-servers';
import { setTimeout as sleep } from 'node:timers/promises';
import { nativeClient } from '../contract/zookeeper-native-factory.mjs';
import { again, claimOf, eventually, fresh, NOW, ZooKeeperFixture } from './fixture.js';

let client: NativeZooKeeper | undefined;
try {
  client = nativeClient();
} catch {
  // Said below.
}
const fixture = new ZooKeeperFixture();
/** How long a request is under way, in ms: each step of a move waits for the one before. */
const WAY_MS = 60;

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

function heal(proxy: TcpProxy): void {
  proxy.delay(0);
  proxy.dropReplies(false);
  proxy.dropRequests(false);
  proxy.cut();
}

if (client === undefined) {
  it('faults of the compiled client are not tried here: it is not installed (ZOOKEEPER_NATIVE_CLIENT)', () => {
    expect(process.env['ZOOKEEPER_NATIVE_CLIENT'] ?? '').toBe('');
  });
} else {
  describe('over the compiled client', () => {
    // The new place, the mark, the end of the old place; and none.
    const steps = [1, 2, 3, 4].map((step) => step * WAY_MS + WAY_MS / 2);

    it.each(steps)(
      'a move whose replies are lost after %d ms is settled by the next',
      async (lostAfterMs) => {
        const { proxy, connect } = await fixture.proxy();
        const backend = await fixture.backend({ connect, client: client, operationTimeoutMs: 500 });
        const [long, claim] = [8_000, 4_000].map((leaseMs) => claimOf(backend, fresh(), { leaseMs }));
        await backend.leases.claim(long!);
        await backend.leases.claim(claim!);
        const renewal = [{ ...claim!, leaseMs: 8_000, keepMs: 0 }];
        proxy.delay(WAY_MS, 'requests');
        const renewing = backend.leases.renew(renewal);
        await sleep(lostAfterMs);
        proxy.dropReplies();
        await renewing;
        heal(proxy);
        await eventually('it is renewed', async () => {
          const [outcome] = await backend.leases.renew(renewal);
          expect(outcome).not.toBe('lost');
          return outcome === 'renewed';
        });
        const places = await fixture.admin.places(claim!.resource);
        expect([places.length, places[0]!.includes(';8000;')]).toEqual([1, true]);
        expect(await backend.leases.withdraw(claim!, NOW)).toBe('released');
        expect(await fixture.admin.places(claim!.resource)).toEqual([]);
      },
    );

    it.each(steps)(
      'a move whose replies are lost after %d ms leaves one holder at most when the old session ends',
      async (lostAfterMs) => {
        const { proxy, connect } = await fixture.proxy();
        const backend = await fixture.backend({ connect, client: client, operationTimeoutMs: 400 });
        const rival = await fixture.backend({ client: client });
        const long = claimOf(backend, fresh());
        const claim = claimOf(backend, fresh(), { leaseMs: 500 });
        const next = claimOf(rival, claim.resource);
        await backend.leases.claim(long);
        await backend.leases.claim(claim);
        expect((await rival.leases.claim(next)).kind).toBe('refused');
        const renewal = [{ ...claim, leaseMs: 4_000, keepMs: 0 }];
        proxy.delay(WAY_MS, 'requests');
        const renewing = backend.leases.renew(renewal);
        await sleep(lostAfterMs);
        proxy.dropReplies();
        const [first] = await renewing;
        proxy.dropRequests();
        await sleep(1_500);
        const isRivals = async (): Promise<boolean> =>
          (await rival.leases.claim(again(rival, next))).kind === 'granted';
        expect([first, await isRivals()]).not.toEqual(['renewed', true]);
        heal(proxy);
        if (first !== 'renewed')
          await eventually('the rival is granted it', async () => {
            const isGranted = await isRivals();
            const [outcome] = await backend.leases.renew(renewal);
            expect([outcome, isGranted]).not.toEqual(['renewed', true]);
            return isGranted;
          });
        await eventually('contact is back', async () => (await backend.ping()) > 0);
        await eventually('it is given back', async () => {
          await backend.leases.withdraw(claim, NOW);
          return true;
        });
        await rival.leases.withdraw(next, NOW);
        await eventually(
          'nothing is left',
          async () => (await fixture.admin.places(claim.resource)).length === 0,
        );
      },
      20_000,
    );

    it('a claim whose reply is lost is found again: one place, one grant', async () => {
      const { proxy, connect } = await fixture.proxy();
      const backend = await fixture.backend({ connect, client: client, operationTimeoutMs: 400 });
      const [warm, claim] = [claimOf(backend, fresh()), claimOf(backend, fresh())];
      await backend.leases.claim(warm);
      await fixture.admin.create(`/bedrock/locks/${encodeURIComponent(claim.resource)}`);
      proxy.dropReplies();
      await expect(backend.leases.claim(claim)).rejects.toMatchObject({ executed: 'unknown' });
      expect(await fixture.admin.places(claim.resource)).toHaveLength(1);
      heal(proxy);
      await eventually(
        'it is granted',
        async () => (await backend.leases.claim(again(backend, claim))).kind === 'granted',
      );
      expect(await fixture.admin.places(claim.resource)).toHaveLength(1);
    });

    it('latches, counting and expirable semaphores are refused, and so is auth', async () => {
      const bedrock = await fixture.bedrock({ client: client });
      expect(() => bedrock.countdownLatch(fresh())).toThrow('latches');
      expect(() => bedrock.expirableSemaphore(fresh())).toThrow('expire');
      const auth = { scheme: 'digest', credentials: 'user:password' };
      expect(() => fixture.unready({ client: client, auth })).toThrow('auth');
    });
  });
}
