import { afterAll, beforeAll } from '@jest/globals';
import { OPEN_WITHIN_MS, Site } from '../site.js';
import { countingCases } from './counting.js';
import { driverCases } from './driver.js';
import { fairLineCases } from './fair-line.js';
import { fairLockCases } from './fair-lock.js';
import { fencedLockCases } from './fenced-lock.js';
import { holdingCases } from './holding.js';
import { lockCases } from './lock.js';
import { multiLockCases } from './multi-lock.js';
import { readWriteLockCases } from './read-write-lock.js';
import { spinLockCases } from './spin-lock.js';
import { typesCases } from './types.js';

// Cases that count the commands of Redis come first, while no other case has left a lock to renew.
const CASES = [
  spinLockCases,
  driverCases,
  lockCases,
  fairLockCases,
  fairLineCases,
  readWriteLockCases,
  multiLockCases,
  fencedLockCases,
  countingCases,
  holdingCases,
  typesCases,
];

/** All cases of one Redisson, on one Redis with one JVM. */
export function allCases(version: string): void {
  let site: Site;

  beforeAll(async () => {
    site = await Site.open(version);
  }, OPEN_WITHIN_MS);
  afterAll(() => site?.close());

  for (const cases of CASES) cases(version, () => site);
}
