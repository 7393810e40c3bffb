import type { Dice } from './dice.js';
import type { Fault } from './fault.js';
import type { Node } from './site.js';

/** Of five nodes, a minority is one and two by turns. */
export function victimsOf(
  { hits = 'minority' }: Fault,
  nodes: readonly Node[],
  strikes: number,
  dice: Dice,
): Node[] {
  const majority = Math.floor(nodes.length / 2) + 1;
  if (hits === 'clients') return [];
  if (hits === 'majority') return dice.some(nodes, majority);
  const most = nodes.length - majority;
  return dice.some(nodes, 1 + (strikes % most));
}
