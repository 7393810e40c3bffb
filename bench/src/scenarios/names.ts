/** Every scenario, in the order in which they run. */
export const SCENARIO_NAMES = ['S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'flash-sale'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];
