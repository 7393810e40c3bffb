import { SET_BITS, type NodeSet } from './node-set.js';

/** Where a client is. `inOrder` and `atOnce` are the two forms of an attempt. */
export const PHASE = { idle: 0, inOrder: 1, atOnce: 2, holding: 3, renewing: 4, releasing: 5 } as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];

/** A client, and what the nodes hold for its present claim. */
export interface Client {
  phase: Phase;
  /** Nodes that this attempt, this round of renewal, or this release is through with. */
  asked: NodeSet;
  /** Nodes whose grant or newest confirmation the client counts on: there, its key lasts longer than its hold. */
  granted: NodeSet;
  /** Nodes that confirmed in the current round of renewal. */
  fresh: NodeSet;
  /** Nodes that hold the key of the present claim, whether the client knows it or not. */
  keys: NodeSet;
  /** Nodes where a release that timed out may still be executed. Only where claim ids are used again. */
  late: NodeSet;
}

/** The state that the search distinguishes. Ended attempts leave only orphans, whose owners make no difference. */
export interface State {
  readonly clients: readonly [Client, Client];
  /** Nodes that hold the key of an attempt or a hold that is over. */
  orphans: NodeSet;
  /** Nodes that restarted empty and give no grants yet. */
  quarantined: NodeSet;
  /** Nodes that were marked as unavailable. */
  marked: NodeSet;
}

/** A state as three words: both clients, then the nodes. */
export type Words = readonly [number, number, number];

/** How a word is laid out: the phase of a client and its sets, or the sets of the nodes. */
export const PHASE_BITS = 3;
export const CLIENT_SETS = 5;
export const NODE_SETS = 3;

const MASK = (1 << SET_BITS) - 1;

export function initialState(): State {
  return { clients: [idleClient(), idleClient()], orphans: 0, quarantined: 0, marked: 0 };
}

export function copyOf(state: State): State {
  const { clients, orphans, quarantined, marked } = state;
  return { clients: [{ ...clients[0] }, { ...clients[1] }], orphans, quarantined, marked };
}

export function pack(state: State): Words {
  const { clients, orphans, quarantined, marked } = state;
  return [packClient(clients[0]), packClient(clients[1]), orphans | at(quarantined, 1) | at(marked, 2)];
}

export function unpack(words: Words): State {
  const [first, second, nodes] = words;
  return {
    clients: [unpackClient(first), unpackClient(second)],
    orphans: nodes & MASK,
    quarantined: from(nodes, 1),
    marked: from(nodes, 2),
  };
}

/** Whether a client takes itself for the holder. */
export function isHolder(client: Client): boolean {
  return client.phase === PHASE.holding || client.phase === PHASE.renewing;
}

export function hasTwoHolders({ clients }: State): boolean {
  return isHolder(clients[0]) && isHolder(clients[1]);
}

export function isAsking(client: Client): boolean {
  return client.phase === PHASE.inOrder || client.phase === PHASE.atOnce;
}

function idleClient(): Client {
  return { phase: PHASE.idle, asked: 0, granted: 0, fresh: 0, keys: 0, late: 0 };
}

function packClient({ phase, asked, granted, fresh, keys, late }: Client): number {
  const sets = asked | at(granted, 1) | at(fresh, 2) | at(keys, 3) | at(late, 4);
  return phase | (sets << PHASE_BITS);
}

function unpackClient(word: number): Client {
  const sets = word >> PHASE_BITS;
  return {
    phase: (word & ((1 << PHASE_BITS) - 1)) as Phase,
    asked: sets & MASK,
    granted: from(sets, 1),
    fresh: from(sets, 2),
    keys: from(sets, 3),
    late: from(sets, 4),
  };
}

function at(set: NodeSet, place: number): number {
  return set << (place * SET_BITS);
}

function from(word: number, place: number): NodeSet {
  return (word >> (place * SET_BITS)) & MASK;
}
