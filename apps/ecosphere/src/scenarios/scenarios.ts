import type { ScenarioName } from '../cli/run-options.js';
import { contention } from './contention.scenario.js';
import { flashSale } from './flash-sale.scenario.js';
import { lockDelay } from './lock-delay.scenario.js';
import { lockTime } from './lock-time.scenario.js';
import type { Scenario } from './scenario.js';
import { schemes } from './schemes.scenario.js';
import { stages } from './stages.scenario.js';

/** The scenarios by their names on the command line. */
export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  'flash-sale': flashSale,
  'lock-time': lockTime,
  contention,
  'lock-delay': lockDelay,
  stages,
  schemes,
};
