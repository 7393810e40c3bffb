import type { LocksBackend } from '../stock/lock-backend.js';

/** The checked and complete command line. */
export interface RunOptions {
  readonly orders: number;
  readonly goods: number;
  readonly locks: LocksBackend;
  readonly hasFaults: boolean;
  /** Whether the shop stays open after the report. */
  readonly isServing: boolean;
  /** Port 0 takes a free one. */
  readonly port: number;
}

export type RunCommand = { readonly kind: 'help' } | ({ readonly kind: 'run' } & RunOptions);
