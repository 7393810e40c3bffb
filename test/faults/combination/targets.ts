import type { SeededRandom } from './seeded-random.js';
import type { Fault } from './fault.js';
import type { Node } from './deployment.js';

/** Of five nodes, a minority is one and two by turns. */
export function targetsOf(
  { hits = 'minority' }: Fault,
  nodes: readonly Node[],
  round: number,
  random: SeededRandom,
): Node[] {
  const majority = Math.floor(nodes.length / 2) + 1;
  if (hits === 'clients') return [];
  if (hits === 'majority') return random.some(nodes, majority);
  const most = nodes.length - majority;
  return random.some(nodes, 1 + (round % most));
}
