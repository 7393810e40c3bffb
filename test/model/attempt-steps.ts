import { allOf, leftMost, sizeOf, type NodeSet } from './node-set.js';
import { leave } from './release-steps.js';
import type { Rule } from './rule.js';
import { copyOf, isAsking, PHASE, type Client, type Phase, type State } from './state.js';
import type { Emit } from './steps.js';

/**
 * The attempt of a client. A request, its execution and its answer are one step: what others do between execution and
 * answer cannot depend on whether the client has read the answer, and the client may always wait before its next step.
 */
export function attemptSteps(rule: Rule, state: State, who: number, emit: Emit): void {
  const client = state.clients[who]!;
  if (client.phase === PHASE.idle) begin(rule, state, who, emit);
  if (!isAsking(client)) return;
  const all = allOf(rule.nodes);
  for (let rest = askable(rule, client); rest !== 0; rest &= rest - 1)
    ask(rule, state, who, leftMost(rest), emit);
  if (isGranted(rule, client)) {
    const next = copyOf(state);
    // An unanswered request is in flight, like one that timed out.
    set(next.clients[who]!, PHASE.holding, all);
    emit(next, 'holds the lock', who, 0);
  }
  const next = copyOf(state);
  leave(rule, next, who);
  emit(next, 'gives up and rolls back', who, 0);
}

/** A request times out. Whether and when it is executed is a step of its own, see `nodeSteps`. */
export function attemptTimeouts(rule: Rule, state: State, who: number, emit: Emit): void {
  const client = state.clients[who]!;
  if (!isAsking(client)) return;
  for (let rest = askable(rule, client); rest !== 0; rest &= rest - 1) {
    const node = leftMost(rest);
    const next = copyOf(state);
    next.clients[who]!.asked |= node;
    if (rule.marks) next.marked |= node;
    emit(next, 'has a time-out on NODE', who, node);
  }
}

function begin(rule: Rule, state: State, who: number, emit: Emit): void {
  const forms: Phase[] = [];
  if (rule.order !== 'all-at-once') forms.push(PHASE.inOrder);
  if (rule.order !== 'left-to-right') forms.push(PHASE.atOnce);
  for (const form of forms) {
    const next = copyOf(state);
    set(next.clients[who]!, form, 0);
    emit(next, form === PHASE.inOrder ? 'begins, left to right' : 'begins, all at once', who, 0);
  }
}

function ask(rule: Rule, state: State, who: number, node: NodeSet, emit: Emit): void {
  const next = copyOf(state);
  const client = next.clients[who]!;
  client.asked |= node;
  if ((state.quarantined & node) !== 0) {
    emit(next, 'hears that NODE is quarantined', who, node);
  } else if (((state.orphans | state.clients[1 - who]!.keys) & node) === 0) {
    client.keys |= node;
    client.granted |= node;
    emit(next, 'is granted NODE', who, node);
  } else {
    const isOver = rule.refusal === 'ends-attempt';
    if (isOver) leave(rule, next, who);
    emit(next, isOver ? 'is refused NODE and rolls back' : 'is refused NODE', who, node);
  }
  if ((state.marked & node) === 0) return;
  const skipped = copyOf(state);
  skipped.clients[who]!.asked |= node;
  emit(skipped, 'skips NODE, which is marked', who, node);
}

/** The nodes that may be asked now; those without an answer that counts again, if the rule repeats its claims. */
function askable(rule: Rule, { phase, asked, granted }: Client): NodeSet {
  const open = allOf(rule.nodes) & ~asked;
  const first = phase === PHASE.inOrder ? leftMost(open) : open;
  return rule.repeats ? first | (asked & ~granted) : first;
}

/** With the veto every node must have answered or timed out; without, a client may go on with the first majority. */
function isGranted(rule: Rule, { asked, granted }: Client): boolean {
  const isComplete = asked === allOf(rule.nodes) || rule.refusal === 'not-counted';
  return isComplete && sizeOf(granted) >= rule.minNodes;
}

function set(client: Client, phase: Phase, asked: NodeSet): void {
  client.phase = phase;
  client.asked = asked;
}
