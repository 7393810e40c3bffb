import { e1 } from './e1.js';
import { e2 } from './e2.js';
import { e3 } from './e3.js';
import { e4 } from './e4.js';
import { flashSale } from './flash-sale.js';
import { idempotency } from './idempotency.js';
import { s1 } from './s1.js';
import { s2 } from './s2.js';
import { s3 } from './s3.js';
import { s4 } from './s4.js';
import { s5 } from './s5.js';
import { s6 } from './s6.js';
import { s7 } from './s7.js';
import { s8, s8Faults, s8Five } from './s8.js';
import { s8Sale, s8Sale10k } from './s8-sale.js';
import { latch } from './latch.js';
import { readWrite } from './read-write.js';
import { semaphore } from './semaphore.js';
import { telemetry } from './telemetry.js';
import type { Scenario } from './scenario.js';

/** In the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  s1,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  s8,
  s8Five,
  s8Faults,
  s8Sale,
  s8Sale10k,
  readWrite,
  semaphore,
  latch,
  flashSale,
  idempotency,
  telemetry,
  e1,
  e2,
  e3,
  e4,
];
