import { leftMost, type NodeSet } from './node-set.js';
import type { Rule } from './rule.js';
import { copyOf, PHASE, type State } from './state.js';
import type { Emit } from './steps.js';

/**
 * Ends an attempt or a hold. With claim ids that are never used again, and a release that deletes nothing but its own
 * key, the keys left behind are orphans: `nodeSteps` lets each of them vanish at any time, in any order, or never. That
 * contains every order of release and rollback, every time-out of theirs, every repetition, and the end of the lease.
 * A rule without one of the two releases node by node: see `releaseSteps`.
 */
export function leave(rule: Rule, state: State, who: number): void {
  const client = state.clients[who]!;
  client.fresh = 0;
  client.granted = 0;
  if (leavesOrphans(rule)) {
    state.orphans |= client.keys;
    client.keys = 0;
    client.asked = 0;
    client.phase = PHASE.idle;
  } else {
    client.phase = PHASE.releasing;
  }
}

/** Releases of a bad rule, on every node that was asked, and those that are executed late. */
export function releaseSteps(rule: Rule, state: State, who: number, emit: Emit): void {
  const client = state.clients[who]!;
  for (let rest = client.late; rest !== 0; rest &= rest - 1) {
    const next = copyOf(state);
    next.clients[who]!.late &= ~leftMost(rest);
    deleteKey(rule, next, who, leftMost(rest));
    emit(next, 'has an old release executed on NODE', who, leftMost(rest));
  }
  if (client.phase !== PHASE.releasing) return;
  for (let rest = client.asked; rest !== 0; rest &= rest - 1) {
    const next = copyOf(state);
    next.clients[who]!.asked &= ~leftMost(rest);
    deleteKey(rule, next, who, leftMost(rest));
    emit(next, 'releases NODE', who, leftMost(rest));
  }
  if (client.asked === 0) {
    const next = copyOf(state);
    const ended = next.clients[who]!;
    ended.phase = PHASE.idle;
    if (rule.claimIds === 'fresh') {
      next.orphans |= ended.keys;
      ended.keys = 0;
    }
    emit(next, 'is through with its release', who, 0);
  }
}

/** The release of a bad rule times out, to be executed later or never. */
export function releaseTimeouts(_rule: Rule, state: State, who: number, emit: Emit): void {
  const client = state.clients[who]!;
  if (client.phase !== PHASE.releasing) return;
  for (let rest = client.asked; rest !== 0; rest &= rest - 1) {
    const next = copyOf(state);
    next.clients[who]!.asked &= ~leftMost(rest);
    next.clients[who]!.late |= leftMost(rest);
    emit(next, 'has a time-out of its release on NODE', who, leftMost(rest));
  }
}

function leavesOrphans(rule: Rule): boolean {
  return rule.claimIds === 'fresh' && rule.release === 'own-key';
}

function deleteKey(rule: Rule, state: State, who: number, node: NodeSet): void {
  state.clients[who]!.keys &= ~node;
  if (rule.release === 'own-key') return;
  state.clients[1 - who]!.keys &= ~node;
  state.orphans &= ~node;
}
