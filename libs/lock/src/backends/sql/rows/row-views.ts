import type { ClaimView, HolderView } from '../../../core/claim.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { RowsSnapshot } from './lock-table.js';
import type { RowGrant } from './row-format.js';
import { processIdOf, RowState } from './row-state.js';

/** A row as people see it. */
export interface RowView {
  readonly resource: string;
  readonly holders: readonly ClaimView[];
  /** Entries in its queue. */
  readonly waiters: number;
}

/** Shows rows to people: holders with their processes. */
export class RowViews {
  constructor(private readonly processes: ProcessDirectory) {}

  /** Looks up the processes that are not known. */
  async of({ nowUs, rows }: RowsSnapshot, deadline: number): Promise<readonly RowView[]> {
    const states = rows.map((row) => ({
      resource: row.resource,
      state: new RowState(row.resource, row, nowUs),
    }));
    const ids = states.flatMap(({ state }) => state.grants.map(({ id }) => processIdOf(id)));
    await this.processes.find(ids, deadline);
    return states.map(({ resource, state }) => ({
      resource,
      waiters: state.waiters,
      holders: state.grants.map((grant) => {
        const { mode, units, depth, revoked } = grant;
        return { ...this.holderOf(grant, nowUs), resource, mode, units, depth, revoked };
      }),
    }));
  }

  /** The holder, with its process if that is known. */
  holderOf({ id, untilUs }: RowGrant, nowUs: number): HolderView {
    const process = this.processes.cached(processIdOf(id));
    return { id, remainingMs: (untilUs - nowUs) / 1_000, ...(process !== undefined && { process }) };
  }
}
