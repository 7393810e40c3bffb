import { BedrockTrialLock } from './bedrock.lock.js';
import type { TrialLock, TrialLockOptions } from './trial.lock.js';
import { Stage1Lock } from './stage-1.lock.js';
import { Stage2Lock } from './stage-2.lock.js';
import { Stage3Lock } from './stage-3.lock.js';
import { Stage4Lock } from './stage-4.lock.js';
import { Stage5Lock } from './stage-5.lock.js';

export const IMPLEMENTATION_NAMES = [
  'stage 1',
  'stage 2',
  'stage 3',
  'stage 4',
  'stage 5',
  'Bedrock',
] as const;
export type ImplementationName = (typeof IMPLEMENTATION_NAMES)[number];

interface Implementation {
  /** Its description for the report. */
  readonly recipe: string;
  make(options: TrialLockOptions): TrialLock;
}

export const IMPLEMENTATIONS: Readonly<Record<ImplementationName, Implementation>> = {
  'stage 1': { recipe: 'SETNX, then EXPIRE', make: (options) => new Stage1Lock(options) },
  'stage 2': { recipe: 'SET NX EX, plain DEL', make: (options) => new Stage2Lock(options) },
  'stage 3': { recipe: 'owner, GET then DEL', make: (options) => new Stage3Lock(options) },
  'stage 4': { recipe: 'compare and delete: Lua', make: (options) => new Stage4Lock(options) },
  'stage 5': { recipe: 'and a watchdog', make: (options) => new Stage5Lock(options) },
  Bedrock: { recipe: 'leases, tokens, frames', make: (options) => new BedrockTrialLock(options) },
};
