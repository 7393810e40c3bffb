import type { ContenderPool } from './contender-pool.js';
import type { SeededRandom } from './seeded-random.js';
import { delay } from './delay.js';
import type { Node, Deployment } from './deployment.js';

/** What a fault is injected into. */
export interface InjectionDeps {
  readonly deployment: Deployment;
  readonly pool: ContenderPool;
  /** The nodes that are hit: a minority, unless the fault is for a majority. */
  readonly targets: readonly Node[];
  readonly random: SeededRandom;
  /** How often the fault was injected before. */
  readonly round: number;
}

/** A time in which no caller may get a grant, on the clock that all processes share. */
export interface OutagePeriod {
  readonly from: number;
  readonly to: number;
}

export interface Fault {
  readonly name: string;
  /** Arguments that the servers need for it. */
  readonly args?: readonly string[];
  /** How many nodes it hits. Of five, a minority is by turns one and two. @default 'minority' */
  readonly hits?: 'minority' | 'majority' | 'clients';
  /** Nodes may have lost what they granted: the next one is hit only when these give grants again. */
  readonly losesData?: boolean;
  /** Resolves when what was broken is whole again. */
  inject(deps: InjectionDeps): Promise<OutagePeriod | void>;
}

/** Does something at all nodes that are hit, and after some time the opposite. */
export async function during(
  nodes: readonly Node[],
  ms: number,
  begin: (node: Node) => unknown,
  end: (node: Node) => unknown,
): Promise<void> {
  await Promise.all(nodes.map(begin));
  await delay(ms);
  await Promise.all(nodes.map(end));
}
