import type { OrderLine } from '../common/contract.js';

/** A deduction under one operation id, by the holder of its goods' locks. */
export interface Deduction {
  readonly operationId: string;
  readonly lines: readonly TokenLine[];
}

/** A line, and the fencing token of the lock on its goods. */
export interface TokenLine extends OrderLine {
  readonly token: number;
}
