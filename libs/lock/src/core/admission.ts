/** A holder or a waiter: the units that it has or asks for. */
export interface UnitsHolder {
  readonly units: number;
}

/**
 * The one admission rule: a claim is granted when the units before it and its own fit the capacity. *Before it* are
 * the units held now and, for those in the queue, the units of the live waiters that came first.
 */
export function isAdmitted(
  claim: { readonly units: number; readonly capacity: number },
  held: Iterable<UnitsHolder>,
  ahead: Iterable<UnitsHolder>,
): boolean {
  return sum(held) + sum(ahead) + claim.units <= claim.capacity;
}

function sum(holders: Iterable<UnitsHolder>): number {
  let units = 0;
  for (const one of holders) units += one.units;
  return units;
}
