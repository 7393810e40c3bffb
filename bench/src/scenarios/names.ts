/** Every scenario, in the order in which they run. */
export const SCENARIO_NAMES = [
  'S1',
  'S2',
  'S3',
  'S4',
  'S5',
  'S6',
  'S7',
  'S8',
  'S8-5',
  'S8-faults',
  'S8-sale',
  'S8-sale-10k',
  'read-write',
  'semaphore',
  'latch',
  'flash-sale',
  'E1',
  'E2',
  'E3',
  'E4',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];
