import type { INestApplicationContext } from '@nestjs/common';
import type { SchemeAccount } from '../account.js';

/** Setup of a scheme's trial. */
export interface TrialSetup {
  /** The business, with an empty database. */
  readonly app: INestApplicationContext;
  /** Number of concurrent requests: an even number. */
  readonly requests: number;
}

/** Tries a scheme in all its ways. */
export type SchemeTrial = (setup: TrialSetup) => Promise<SchemeAccount>;
