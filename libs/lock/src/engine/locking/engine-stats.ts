/**
 * Figures of the moment; all are 0 at idle but the last two, which only grow. Subscriptions linger
 * for some seconds.
 */
export interface EngineStats {
  /** Resources that are held or waited for here. */
  readonly resources: number;
  /** Callers in the queues of this process. */
  readonly waiters: number;
  /** Grants of the backend that this process has. */
  readonly holds: number;
  /** Releases that the backend has not confirmed yet. */
  readonly pendingWithdrawals: number;
  /** Resources whose wakes are subscribed to. */
  readonly watches: number;
  /** Leases given so far, by the backend or by hand-over. */
  readonly grants: number;
  /** Of these, the ones without a round trip. */
  readonly handOvers: number;
}
