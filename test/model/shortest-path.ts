import type { Faults } from './faults.js';
import { numberOf, SET_BITS } from './node-set.js';
import { NumberList } from './number-list.js';
import type { Rule } from './rule.js';
import { hasTwoHolders, initialState, NODE_SETS, pack, unpack, type State, type Words } from './state.js';
import { StateTable } from './state-table.js';
import { steps, type Kind } from './steps.js';

/**
 * The shortest way to two holders with no more than these faults, one line for each step, or undefined when there is none.
 *
 * A plain search by breadth: names are kept, and the faults that were spent are a part of the state. It shares nothing
 * with `Search` but the steps, so each of the two is a check of the other.
 */
export function shortestPath(rule: Rule, budget: Faults): readonly string[] | undefined {
  const table = new StateTable();
  const parents = new NumberList();
  const visit = (state: State, spent: Faults, parent: number): boolean => {
    const number = table.numberOf(packSpent(state, spent));
    if (number < parents.size) return false;
    parents.push(parent);
    return hasTwoHolders(state);
  };
  visit(initialState(), { timeouts: 0, crashes: 0 }, -1);
  for (let at = 0; at < parents.size; at++) {
    const { state, spent } = unpackSpent(table.at(at));
    let isViolated = false;
    for (const [kind, next] of affordable(spent, budget))
      steps(rule, state, kind, (to) => (isViolated ||= visit(to, next, at)));
    if (isViolated) return describe(rule, table, parents);
  }
  return undefined;
}

const SPENT_SHIFT = NODE_SETS * SET_BITS;
const SPENT_MASK = 0xff;

function affordable(spent: Faults, budget: Faults): [Kind, Faults][] {
  const { timeouts, crashes } = spent;
  const kinds: [Kind, Faults][] = [['free', spent]];
  if (timeouts < budget.timeouts) kinds.push(['timeout', { timeouts: timeouts + 1, crashes }]);
  if (crashes < budget.crashes) kinds.push(['crash', { timeouts, crashes: crashes + 1 }]);
  return kinds;
}

function packSpent(state: State, { timeouts, crashes }: Faults): Words {
  const [first, second, nodes] = pack(state);
  return [first, second, nodes | (timeouts << SPENT_SHIFT) | (crashes << (SPENT_SHIFT + 8))];
}

function unpackSpent(words: Words): { state: State; spent: Faults } {
  const spent = words[2] >> SPENT_SHIFT;
  return {
    state: unpack(words),
    spent: { timeouts: spent & SPENT_MASK, crashes: spent >> 8 },
  };
}

/** Tells the steps on the way to the state that was met last. */
function describe(rule: Rule, table: StateTable, parents: NumberList): string[] {
  const lines: string[] = [];
  for (let at = parents.size - 1; parents.at(at) >= 0; at = parents.at(at))
    lines.push(stepBetween(rule, table.at(parents.at(at)), table.at(at)));
  return lines.reverse();
}

function stepBetween(rule: Rule, before: Words, after: Words): string {
  const { state, spent } = unpackSpent(before);
  const wanted = unpackSpent(after);
  const kind: Kind =
    wanted.spent.timeouts > spent.timeouts
      ? 'timeout'
      : wanted.spent.crashes > spent.crashes
        ? 'crash'
        : 'free';
  const words = pack(wanted.state).join();
  let line: string | undefined;
  steps(rule, state, kind, (to, what, client, node) => {
    if (line !== undefined || pack(to).join() !== words) return;
    const told = what.replace('NODE', `node ${numberOf(node)}`);
    line = client === undefined ? told : `${'AB'[client]} ${told}`;
  });
  return line!;
}
