/** A set of nodes: bit 0 is the left-most node. */
export type NodeSet = number;

/** As many bits as a set of nodes takes in a packed state. */
export const SET_BITS = 5;

export const MAX_NODES = SET_BITS;

export function allOf(nodes: number): NodeSet {
  return (1 << nodes) - 1;
}

/** The left-most node of a set that is not empty, as a set. */
export function leftMost(set: NodeSet): NodeSet {
  return set & -set;
}

export function sizeOf(set: NodeSet): number {
  let size = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) size++;
  return size;
}

/** The number of the only node of a set: 1 is the left-most. */
export function numberOf(node: NodeSet): number {
  return 32 - Math.clz32(node);
}
