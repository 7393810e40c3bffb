import type { Crew } from './crew.js';
import type { Dice } from './dice.js';
import { pass } from './pass.js';
import type { Node, Site } from './site.js';

/** Where a fault strikes. */
export interface Scene {
  readonly site: Site;
  readonly crew: Crew;
  /** The nodes that are hit: a minority, unless the fault is for a majority. */
  readonly victims: readonly Node[];
  readonly dice: Dice;
  /** How often the fault has struck before. */
  readonly strikes: number;
}

/** A time in which nobody may be granted anything, of the clock that all processes share. */
export interface Silence {
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
  strike(scene: Scene): Promise<Silence | void>;
}

/** Does something at all nodes that are hit, and after some time the opposite. */
export async function during(
  nodes: readonly Node[],
  ms: number,
  begin: (node: Node) => unknown,
  end: (node: Node) => unknown,
): Promise<void> {
  await Promise.all(nodes.map(begin));
  await pass(ms);
  await Promise.all(nodes.map(end));
}
