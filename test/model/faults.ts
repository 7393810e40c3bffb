/** How many faults of each kind a run has seen. */
export interface Faults {
  /** Requests that timed out, executed or not. */
  readonly timeouts: number;
  /** Nodes that restarted empty. */
  readonly crashes: number;
}

/** Whether `left` is a part of `right`: faults of `left` are then faults of `right` too. */
export function isWithin(left: Faults, right: Faults): boolean {
  return left.timeouts <= right.timeouts && left.crashes <= right.crashes;
}

/** `T2C1`: two time-outs and one crash. */
export function nameOf({ timeouts, crashes }: Faults): string {
  const name = (timeouts > 0 ? `T${timeouts}` : '') + (crashes > 0 ? `C${crashes}` : '');
  return name === '' ? 'no fault' : name;
}
