import type {
  AdminDriver,
  HeldResource,
  ListPage,
  ListRequest,
  ProcessEntry,
} from '../../../core/ports/admin.js';
import { checkListRequest, checkPrintable, endOfPrefix, pageOf, shapeOf } from '../../kit/named-admin.js';
import { PROCESS_LIFE_MS } from '../../kit/process-directory.js';
import type { LockTable, RowsSnapshot } from './lock-table.js';
import { viewOf } from './process-entries.js';
import type { RowViews } from './row-views.js';

export interface SqlAdminDeps {
  readonly table: Pick<LockTable, 'list' | 'read' | 'livingProcesses'>;
  readonly views: RowViews;
  /** When a statement that is sent now must have settled. */
  readonly newDeadline: () => number;
}

/** Lists locks by their rows: one statement for a page. */
export class SqlAdmin implements AdminDriver {
  constructor(private readonly deps: SqlAdminDeps) {}

  async list(request: ListRequest): Promise<ListPage> {
    checkListRequest(request);
    const { prefix, limit, cursor = '' } = request;
    const { table, newDeadline } = this.deps;
    const deadline = newDeadline();
    const found = await table.list(
      { from: prefix, after: cursor, end: endOfPrefix(prefix) },
      limit,
      deadline,
    );
    const last = found.rows.length < limit ? undefined : found.rows.at(-1)!.resource;
    return pageOf(await this.#heldIn(found, deadline), last);
  }

  async find(resource: string): Promise<readonly HeldResource[]> {
    const { table, newDeadline } = this.deps;
    const deadline = newDeadline();
    return this.#heldIn(await table.read([checkPrintable('resource', resource)], deadline), deadline);
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    const { table, newDeadline } = this.deps;
    const rows = await table.livingProcesses(PROCESS_LIFE_MS * 1_000, newDeadline());
    return rows.map((row) => ({ id: row.id, ...viewOf(row) }));
  }

  async #heldIn(snapshot: RowsSnapshot, deadline: number): Promise<readonly HeldResource[]> {
    const held = await this.deps.views.of(snapshot, deadline);
    return held
      .filter(({ holders }) => holders.length > 0)
      .map((one) => ({ ...one, shape: shapeOf(one.holders) }));
  }
}
