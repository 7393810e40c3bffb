import { allOf, leftMost, type NodeSet } from './node-set.js';
import type { Rule } from './rule.js';
import { copyOf, isAsking, isHolder, PHASE, type Client, type State } from './state.js';
import type { Emit } from './steps.js';

/** What happens on a node without a client: late execution, expiry, the end of a quarantine, a mark that is taken back. */
export function nodeSteps(rule: Rule, state: State, emit: Emit): void {
  for (let rest = allOf(rule.nodes); rest !== 0; rest &= rest - 1) {
    const node = leftMost(rest);
    lateClaims(state, node, emit);
    expiry(rule, state, node, emit);
    const isOver = rule.guard === 'shorter' || !isCountedOn(state, node);
    if ((state.quarantined & node) !== 0 && isOver) {
      const next = copyOf(state);
      next.quarantined &= ~node;
      emit(next, 'the quarantine of NODE ends', undefined, node);
    }
    if ((state.marked & node) !== 0) {
      const next = copyOf(state);
      next.marked &= ~node;
      emit(next, 'a probe takes the mark of NODE back', undefined, node);
    }
  }
}

/** A node restarts without its data: all keys are gone. */
export function crashSteps(rule: Rule, state: State, emit: Emit): void {
  for (let rest = allOf(rule.nodes); rest !== 0; rest &= rest - 1) {
    const node = leftMost(rest);
    const next = copyOf(state);
    for (const client of next.clients) client.keys &= ~node;
    next.orphans &= ~node;
    if (rule.guard !== 'none') next.quarantined |= node;
    emit(next, 'NODE restarts empty', undefined, node);
  }
}

/**
 * A request without an answer is executed: of the present claim, or of one that is over, which makes an orphan. Either
 * may happen again and again, as if requests were doubled, so nothing has to remember which are still on their way.
 */
function lateClaims(state: State, node: NodeSet, emit: Emit): void {
  const [first, second] = state.clients;
  if (((first.keys | second.keys | state.orphans | state.quarantined) & node) !== 0) return;
  for (const who of [0, 1] as const) {
    if ((unanswered(state.clients[who]) & node) === 0) continue;
    const next = copyOf(state);
    next.clients[who].keys |= node;
    emit(next, 'has an unanswered claim executed on NODE', who, node);
  }
  const next = copyOf(state);
  next.orphans |= node;
  emit(next, 'a claim of an ended attempt is executed on NODE', undefined, node);
}

/** Orphans vanish at any time; so does a key that its client does not count on. Where it does, the arithmetic forbids it. */
function expiry(rule: Rule, state: State, node: NodeSet, emit: Emit): void {
  if ((state.orphans & node) !== 0) {
    const next = copyOf(state);
    next.orphans &= ~node;
    emit(next, 'an old key on NODE is deleted or expires', undefined, node);
  }
  for (const who of [0, 1] as const) {
    const client = state.clients[who];
    const kept = rule.validity === 'checked' ? client.granted | client.fresh : 0;
    if ((client.keys & ~kept & node) === 0) continue;
    const next = copyOf(state);
    next.clients[who].keys &= ~node;
    emit(next, 'has a key on NODE that expires', who, node);
  }
}

/** A claim that is asked for and not counted on: it may reach its node at any time until the claim is over. */
function unanswered(client: Client): NodeSet {
  if (isAsking(client)) return client.asked & ~client.granted;
  return isHolder(client) ? ~(client.granted | client.fresh) : 0;
}

/**
 * The guard lasts for the longest lease, so it ends after every hold that counts on a grant or a confirmation from before
 * the restart. Until then no later one exists, since a quarantined node has no key and gives none.
 */
function isCountedOn(state: State, node: NodeSet): boolean {
  return state.clients.some(
    ({ phase, granted, fresh }) => phase !== PHASE.idle && ((granted | fresh) & node) !== 0,
  );
}
