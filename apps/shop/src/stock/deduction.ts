import type { OrderLine } from '../common/contract.js';

/** What is to be deducted under one operation id, by whom holds the locks of its goods. */
export interface Deduction {
  readonly operationId: string;
  readonly lines: readonly TokenLine[];
}

/** A line, and the fencing token of the lock on its goods. */
export interface TokenLine extends OrderLine {
  readonly token: number;
}
