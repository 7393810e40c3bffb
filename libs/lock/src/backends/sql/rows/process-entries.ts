import type { ProcessView } from '../../../core/claim.js';
import type { ProcessEntries } from '../../kit/process-directory.js';
import type { ProcessRow } from './lock-row.js';
import type { LockTable } from './lock-table.js';

/** The entries of processes as rows. @param newDeadline when a statement that is sent now must have settled */
export function processEntries(
  processId: string,
  table: Pick<LockTable, 'register' | 'unregister' | 'processes'>,
  newDeadline: () => number,
): ProcessEntries {
  return {
    write: ({ host, pid, label = null }) =>
      table.register({ id: processId, host, pid, label }, newDeadline()),
    remove: () => table.unregister(processId, newDeadline()),
    read: async (processIds, deadline = newDeadline()) =>
      (await table.processes(processIds, deadline)).map((row) => [row.id, viewOf(row)] as const),
  };
}

export function viewOf({ host, pid, label }: ProcessRow): ProcessView {
  return { host, pid, ...(label !== null && { label }) };
}
