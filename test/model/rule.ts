/** A locking rule under check. Every part has a form that is meant to be safe and forms that are known to be bad. */
export interface Rule {
  /** How many nodes are configured: 1 to 5. */
  readonly nodes: number;
  /** How many grants an attempt needs. */
  readonly minNodes: number;
  /**
   * How an attempt asks. `either` lets every attempt choose, which contains "all at once when no other client is there,
   * left to right after a refusal" and every other way to choose.
   */
  readonly order: 'left-to-right' | 'all-at-once' | 'either';
  /** What a refusal does: the veto of left-most weight, or nothing, as in Redlock. */
  readonly refusal: 'ends-attempt' | 'not-counted';
  /** Whether an attempt may send its claim again to a node that gave no answer, and count the grant that it gets then. */
  readonly repeats: boolean;
  /** How long a node that restarted empty gives no grants: the longest lease, or less, or it gives them at once. */
  readonly guard: 'longest-lease' | 'shorter' | 'none';
  /** Whether a time-out marks the node for all clients, and a marked node may be skipped without a request. */
  readonly marks: boolean;
  /** Whether a holder renews, and what it takes for a confirmation. */
  readonly renewal: 'none' | 'counted' | 'asks-existence' | 'ignores-results';
  /** Whether every attempt has a claim id of its own. */
  readonly claimIds: 'fresh' | 'reused';
  /** What a release or a rollback deletes on a node. */
  readonly release: 'own-key' | 'any-key';
  /** Whether a holder stops before its keys can expire: the arithmetic of validity. */
  readonly validity: 'checked' | 'ignored';
}

/** More than half of the configured nodes. */
export function majorityOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

/** Left-most weight as the combination lock has it, without the restart guard: what the other rules differ from. */
export function leftMostWeight(nodes: number, changes: Partial<Rule> = {}): Rule {
  return {
    nodes,
    minNodes: majorityOf(nodes),
    order: 'left-to-right',
    refusal: 'ends-attempt',
    repeats: false,
    guard: 'none',
    marks: false,
    renewal: 'none',
    claimIds: 'fresh',
    release: 'own-key',
    validity: 'checked',
    ...changes,
  };
}

/** The rule of the first implementation: two nodes are enough, however many there are. */
export function seedRule(nodes: number): Rule {
  return leftMostWeight(nodes, { minNodes: 2 });
}

/** All nodes are asked at once, a majority of grants is enough, refusals count for nothing. */
export function redlock(nodes: number): Rule {
  return leftMostWeight(nodes, { order: 'all-at-once', refusal: 'not-counted' });
}
