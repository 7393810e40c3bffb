import { SET_BITS } from './node-set.js';
import type { Rule } from './rule.js';
import { CLIENT_SETS, NODE_SETS, PHASE_BITS, type Words } from './state.js';

/**
 * One packed form for all states that differ only in names. The clients run the same program, so they may be swapped; the
 * nodes may be permuted as well where the rule knows no order among them.
 */
export function canonicalForm(rule: Rule, words: Words): Words {
  const swapped: Words = [words[1], words[0], words[2]];
  if (rule.order !== 'all-at-once') return words[0] <= words[1] ? words : swapped;
  const forms = [sortNodes(rule.nodes, words), sortNodes(rule.nodes, swapped)] as const;
  return isLess(forms[1], forms[0]) ? forms[1] : forms[0];
}

/** Puts the nodes in the order of all that is known about each of them. */
function sortNodes(nodes: number, words: Words): Words {
  const columns: number[] = [];
  for (let index = 0; index < nodes; index++) columns.push(columnOf(words, index));
  columns.sort((left, right) => left - right);
  const sorted: [number, number, number] = [words[0] & PHASE_MASK, words[1] & PHASE_MASK, 0];
  columns.forEach((column, index) => {
    let rest = column;
    for (let place = NODE_SETS - 1; place >= 0; place--, rest >>= 1)
      sorted[2] |= (rest & 1) << (place * SET_BITS + index);
    for (const client of [1, 0] as const)
      for (let place = CLIENT_SETS - 1; place >= 0; place--, rest >>= 1)
        sorted[client] |= (rest & 1) << (PHASE_BITS + place * SET_BITS + index);
  });
  return sorted;
}

const PHASE_MASK = (1 << PHASE_BITS) - 1;

/** All that a state says about one node: a bit for each set. */
function columnOf(words: Words, index: number): number {
  let column = 0;
  for (const client of [0, 1] as const)
    for (let place = 0; place < CLIENT_SETS; place++)
      column = (column << 1) | ((words[client] >> (PHASE_BITS + place * SET_BITS + index)) & 1);
  for (let place = 0; place < NODE_SETS; place++)
    column = (column << 1) | ((words[2] >> (place * SET_BITS + index)) & 1);
  return column;
}

function isLess(left: Words, right: Words): boolean {
  if (left[0] !== right[0]) return left[0] < right[0];
  if (left[1] !== right[1]) return left[1] < right[1];
  return left[2] < right[2];
}
