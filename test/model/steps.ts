import { attemptSteps, attemptTimeouts } from './attempt-steps.js';
import { holderSteps, holderTimeouts } from './holder-steps.js';
import type { NodeSet } from './node-set.js';
import { crashSteps, nodeSteps } from './node-steps.js';
import { releaseSteps, releaseTimeouts } from './release-steps.js';
import type { Rule } from './rule.js';
import type { State } from './state.js';

/** Takes one possible next state. `what` says NODE for `node`, the one that the step is about; 0 when it is about none. */
export type Emit = (to: State, what: string, client: number | undefined, node: NodeSet) => void;

/** What the next step costs the adversary. */
export type Kind = 'free' | 'timeout' | 'crash';

/** Emits every step of one kind that is possible in a state. */
export function steps(rule: Rule, state: State, kind: Kind, emit: Emit): void {
  if (kind === 'crash') {
    crashSteps(rule, state, emit);
    return;
  }
  const emitters = kind === 'free' ? FREE : TIMEOUTS;
  for (const emitSteps of emitters) {
    emitSteps(rule, state, 0, emit);
    emitSteps(rule, state, 1, emit);
  }
  if (kind === 'free') nodeSteps(rule, state, emit);
}

const FREE = [attemptSteps, holderSteps, releaseSteps];
const TIMEOUTS = [attemptTimeouts, holderTimeouts, releaseTimeouts];
