/**
 * Ways to break the library, each of which the simulation must notice.
 *
 * @typedef {object} Mutant
 * @property {string} name
 * @property {string} breaks the rule that it breaks
 * @property {string} file under libs/lock/src
 * @property {string} find text that is there exactly once
 * @property {string} replace
 * @property {number} [seed] tried first, since it has caught the mutant before
 * @property {object} [terms] of the scenario, instead of those that a seed draws: where the rule matters
 */
import { COMBINATION } from './list/combination.mjs';
import { ENGINE } from './list/engine.mjs';
import { SCRIPTS } from './list/scripts.mjs';
import { WAITING } from './list/waiting.mjs';

/** @type {readonly Mutant[]} */
export const MUTANTS = [...ENGINE, ...WAITING, ...SCRIPTS, ...COMBINATION];
