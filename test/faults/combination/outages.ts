import { sharedNow } from 'bedrock-testkit';
import { during, type Fault, type OutagePeriod } from './fault.js';
import { MAX_LEASE_MS } from './settings.js';

const AWAY_MS = MAX_LEASE_MS + 600;
/** By then the outage has begun, at the latest. */
const BEGINS_WITHIN_MS = 200;

/** An earlier grant may be handed over within its process until it ends; after that, no caller holds the lock. */
async function duringOutage(outage: () => Promise<unknown>): Promise<OutagePeriod> {
  const from = sharedNow() + MAX_LEASE_MS + BEGINS_WITHIN_MS;
  const to = sharedNow() + AWAY_MS;
  await outage();
  return { from, to };
}

/** A majority is gone for longer than any lease. */
export const OUTAGES: readonly Fault[] = [
  {
    name: 'majority frozen',
    hits: 'majority',
    inject: ({ targets }) =>
      duringOutage(() =>
        during(
          targets,
          AWAY_MS,
          ({ server }) => server.pause(),
          ({ server }) => server.resume(),
        ),
      ),
  },
  {
    name: 'majority killed, back empty',
    hits: 'majority',
    losesData: true,
    inject: ({ targets }) => duringOutage(() => Promise.all(targets.map((node) => node.crash(AWAY_MS)))),
  },
];
