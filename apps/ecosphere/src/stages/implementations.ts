import { BedrockContestant } from './bedrock.contestant.js';
import type { Contestant, Party } from './contestant.js';
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
  /** What it is, for the report. */
  readonly recipe: string;
  make(party: Party): Contestant;
}

export const IMPLEMENTATIONS: Readonly<Record<ImplementationName, Implementation>> = {
  'stage 1': { recipe: 'SETNX, then EXPIRE', make: (party) => new Stage1Lock(party) },
  'stage 2': { recipe: 'SET NX EX, plain DEL', make: (party) => new Stage2Lock(party) },
  'stage 3': { recipe: 'owner, GET then DEL', make: (party) => new Stage3Lock(party) },
  'stage 4': { recipe: 'compare and delete: Lua', make: (party) => new Stage4Lock(party) },
  'stage 5': { recipe: 'and a watchdog', make: (party) => new Stage5Lock(party) },
  Bedrock: { recipe: 'leases, tokens, frames', make: (party) => new BedrockContestant(party) },
};
