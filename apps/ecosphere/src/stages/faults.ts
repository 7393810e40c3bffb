import { crash } from './faults/crash.fault.js';
import { foreignDelete } from './faults/foreign-delete.fault.js';
import { lateWrite } from './faults/late-write.fault.js';
import { longBody } from './faults/long-body.fault.js';
import { lateDelete } from './faults/late-delete.fault.js';
import { reEntry } from './faults/re-entry.fault.js';
import type { ImplementationName } from './implementations.js';
import type { Fault } from './trial.js';

export const FAULT_NAMES = [
  'crash',
  'foreign delete',
  'late delete',
  'long body',
  'late write',
  're-entry',
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export const FAULTS: Readonly<Record<FaultName, Fault>> = {
  crash,
  'foreign delete': foreignDelete,
  'late delete': lateDelete,
  'long body': longBody,
  'late write': lateWrite,
  're-entry': reEntry,
};

/**
 * Which faults should break which implementation. Each stage fixes one fault. After the five, two faults are left that
 * no renewal fixes: a stopped holder that writes late, and one that calls itself.
 */
export const SHOULD_BREAK: Readonly<Record<ImplementationName, readonly FaultName[]>> = {
  'stage 1': FAULT_NAMES,
  'stage 2': FAULT_NAMES.slice(1),
  'stage 3': FAULT_NAMES.slice(2),
  'stage 4': FAULT_NAMES.slice(3),
  'stage 5': FAULT_NAMES.slice(4),
  Bedrock: [],
};
