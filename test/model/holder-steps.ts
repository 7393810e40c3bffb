import { allOf, leftMost, sizeOf, type NodeSet } from './node-set.js';
import { leave } from './release-steps.js';
import type { Rule } from './rule.js';
import { copyOf, isHolder, PHASE, type Client, type State } from './state.js';
import type { Emit } from './steps.js';

/** The holder: it renews in rounds, as often as it likes, and ends its hold by release or because the time is over. */
export function holderSteps(rule: Rule, state: State, who: number, emit: Emit): void {
  const client = state.clients[who]!;
  if (!isHolder(client)) return;
  const released = copyOf(state);
  leave(rule, released, who);
  emit(released, 'holds no longer', who, 0);
  if (client.phase === PHASE.holding) {
    if (rule.renewal !== 'none') beginRound(state, who, emit);
    return;
  }
  const open = allOf(rule.nodes) & ~client.asked;
  for (let rest = open; rest !== 0; rest &= rest - 1) renew(rule, state, who, leftMost(rest), emit);
  if (open === 0) endRound(rule, state, who, emit);
}

/**
 * A renewal times out. If it is executed after all, the key only lives longer: it need not vanish as early as
 * `nodeSteps` allows, so that is no step of its own.
 */
export function holderTimeouts(rule: Rule, state: State, who: number, emit: Emit): void {
  const client = state.clients[who]!;
  if (client.phase !== PHASE.renewing) return;
  for (let rest = allOf(rule.nodes) & ~client.asked; rest !== 0; rest &= rest - 1) {
    const next = copyOf(state);
    next.clients[who]!.asked |= leftMost(rest);
    emit(next, 'has a time-out of its renewal on NODE', who, leftMost(rest));
  }
}

function beginRound(state: State, who: number, emit: Emit): void {
  const next = copyOf(state);
  const client = next.clients[who]!;
  client.phase = PHASE.renewing;
  client.asked = 0;
  emit(next, 'begins to renew', who, 0);
}

function renew(rule: Rule, state: State, who: number, node: NodeSet, emit: Emit): void {
  const next = copyOf(state);
  const client = next.clients[who]!;
  client.asked |= node;
  const isConfirmed = (confirming(rule, state, who) & node) !== 0;
  if (isConfirmed) client.fresh |= node;
  emit(next, isConfirmed ? 'is renewed on NODE' : 'is not renewed on NODE', who, node);
}

/** Fewer confirmations than grants are needed keep the old end of the hold, and with it the nodes it counts on. */
function endRound(rule: Rule, state: State, who: number, emit: Emit): void {
  const next = copyOf(state);
  const client: Client = next.clients[who]!;
  const isLonger = rule.renewal === 'ignores-results' || sizeOf(client.fresh) >= rule.minNodes;
  if (isLonger) client.granted = client.fresh;
  client.fresh = 0;
  client.phase = PHASE.holding;
  emit(next, isLonger ? 'holds for one more lease' : 'could not renew: the old end stands', who, 0);
}

function confirming(rule: Rule, state: State, who: number): NodeSet {
  const own = state.clients[who]!.keys;
  return rule.renewal === 'asks-existence' ? own | state.clients[1 - who]!.keys | state.orphans : own;
}
