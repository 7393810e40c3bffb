import { canonicalForm } from './canonical.js';
import { isWithin, type Faults } from './faults.js';
import { NumberList } from './number-list.js';
import type { Rule } from './rule.js';
import { hasTwoHolders, initialState, pack, unpack, type State } from './state.js';
import { StateTable } from './state-table.js';
import { steps, type Kind } from './steps.js';

export interface SearchResult {
  /** The smallest sets of faults that lead to two holders; empty when no number of faults does. */
  readonly smallest: readonly Faults[];
  /** How many different states were found. */
  readonly states: number;
}

/** The visits with the same faults: they stand one after the other in the list of visits. */
interface Level {
  readonly start: number;
  readonly end: number;
}

const NO_VISITS: Level = { start: 0, end: 0 };
const NEVER = 255;

/**
 * Finds every smallest set of faults that leads to two holders, over all interleavings of two clients, with as many
 * attempts, renewals and faults as they like: it ends when nothing new can be reached.
 *
 * States are visited level by level: by crashes, then by time-outs. A level begins with one time-out more than the level
 * before it and one crash more than the same level a row earlier, and closes under the steps that cost nothing. A state
 * that was reached with no more crashes and no more time-outs is not visited again, and a level whose faults contain
 * those of a violation is left out: neither could lead to a smaller set.
 */
export class Search {
  readonly #rule: Rule;
  readonly #table = new StateTable();
  readonly #visits = new NumberList();
  /** By state: the fewest time-outs so far. Crashes only grow, so fewer time-outs are the only way to be new. */
  #fewest = new Uint8Array(1 << 12).fill(NEVER);
  #isViolated = false;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  run(): SearchResult {
    const smallest: Faults[] = [];
    let row: Level[] = [];
    for (let crashes = 0; crashes === 0 || row.some(hasVisits); crashes++) {
      const above = row;
      row = [];
      for (
        let timeouts = 0;
        timeouts < above.length || timeouts === 0 || hasVisits(row.at(-1)!);
        timeouts++
      ) {
        const faults: Faults = { timeouts, crashes };
        if (smallest.some((found) => isWithin(found, faults))) break;
        row.push(this.#searchLevel(timeouts, row.at(-1) ?? NO_VISITS, above[timeouts] ?? NO_VISITS));
        if (this.#isViolated) {
          smallest.push(faults);
          row.pop();
          this.#isViolated = false;
          break;
        }
      }
    }
    return { smallest, states: this.#table.size };
  }

  #searchLevel(timeouts: number, before: Level, above: Level): Level {
    const start = this.#visits.size;
    if (start === 0) this.#visit(initialState(), timeouts);
    this.#follow(before, 'timeout', timeouts);
    this.#follow(above, 'crash', timeouts);
    for (let at = start; at < this.#visits.size && !this.#isViolated; at++)
      this.#follow({ start: at, end: at + 1 }, 'free', timeouts);
    return { start, end: this.#visits.size };
  }

  #follow({ start, end }: Level, kind: Kind, timeouts: number): void {
    for (let at = start; at < end; at++) {
      const state = unpack(this.#table.at(this.#visits.at(at)));
      steps(this.#rule, state, kind, (to) => this.#visit(to, timeouts));
    }
  }

  #visit(state: State, timeouts: number): void {
    const number = this.#table.numberOf(canonicalForm(this.#rule, pack(state)));
    this.#makeRoom(number);
    if (this.#fewest[number]! <= timeouts) return;
    this.#fewest[number] = timeouts;
    this.#visits.push(number);
    if (hasTwoHolders(state)) this.#isViolated = true;
  }

  #makeRoom(number: number): void {
    if (number < this.#fewest.length) return;
    const fewest = new Uint8Array(this.#fewest.length * 2).fill(NEVER);
    fewest.set(this.#fewest);
    this.#fewest = fewest;
  }
}

function hasVisits({ start, end }: Level): boolean {
  return end > start;
}
