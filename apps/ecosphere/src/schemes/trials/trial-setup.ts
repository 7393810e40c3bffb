import type { INestApplicationContext } from '@nestjs/common';
import type { SchemeAccount } from '../account.js';

/** What a scheme is tried on. */
export interface TrialSetup {
  /** The business, with an empty database. */
  readonly app: INestApplicationContext;
  /** How many come at once: an even number. */
  readonly requests: number;
}

/** Tries a scheme in all its ways. */
export type SchemeTrial = (setup: TrialSetup) => Promise<SchemeAccount>;
