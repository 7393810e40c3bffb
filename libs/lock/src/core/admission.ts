/** Somebody in line: units asked for. */
export interface Standing {
  readonly units: number;
}

/**
 * The one admission rule: a claim is granted when the units before it and its own fit the capacity. *Before it* are
 * the units held now and, for those who stand in line, the units of the live waiters that came first.
 */
export function isAdmitted(
  claim: { readonly units: number; readonly capacity: number },
  held: Iterable<Standing>,
  ahead: Iterable<Standing>,
): boolean {
  return sum(held) + sum(ahead) + claim.units <= claim.capacity;
}

function sum(standing: Iterable<Standing>): number {
  let units = 0;
  for (const one of standing) units += one.units;
  return units;
}
