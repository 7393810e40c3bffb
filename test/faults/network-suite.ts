import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { goOn, UNTIL_FINISHED, type Job } from './contest.js';
import { NETWORK_FAULTS } from './network-faults.js';
import { OPERATION_MS, delay, Site } from './site.js';

/** The second time, the fault strikes processes that have made their connections again. */
const STRIKES = 2;

export interface NetworkSuite {
  /** The two sides that the network connects. */
  readonly between: string;
  /** What holds all the same. */
  readonly promise: string;
  readonly job: Job;
  /** Fewer leases than these show nothing. */
  readonly leastLeases: number;
  /** Happens after every strike. */
  readonly afterwards?: (site: Site) => Promise<void>;
}

/** A test per fault of the network; no promise is broken, every caller is served again, and nothing leaks. */
export function networkFaults({ between, promise, job, leastLeases, afterwards }: NetworkSuite): void {
  describe(`a network between ${between}`, () => {
    let site: Site;
    let proxy: TcpProxy;
    beforeEach(async () => {
      site = await Site.open();
      proxy = await startProxy(site.server.port);
    });
    afterEach(async () => {
      await site.close();
      await proxy.stop();
    });

    it.each(Object.entries(NETWORK_FAULTS))(`that %s ${promise}`, async (_name, strike) => {
      const impatient = { ...job, ...UNTIL_FINISHED, lock: { leaseMs: 700, waitMs: 900 } };
      const proxied = { url: `redis://127.0.0.1:${proxy.port}` };
      const contenders = [
        site.contender({ ...impatient, label: 'behind the proxy' }, proxied),
        site.contender({ ...impatient, label: 'also behind it' }, proxied),
        site.contender({ ...impatient, label: 'well connected' }),
      ];
      await goOn(contenders);
      for (let i = 0; i < STRIKES; i += 1) {
        await strike(proxy, OPERATION_MS);
        await afterwards?.(site);
        await goOn(contenders, 5);
      }
      await site.finish();
      const report = site.judge();
      expect(Object.keys(report.turns)).toHaveLength(3);
      expect(report.leases).toBeGreaterThan(leastLeases);
      await delay(2 * OPERATION_MS);
      expect(await site.leftovers()).toEqual([]);
    });
  });
}
