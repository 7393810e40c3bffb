import type { ProcessView } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';

/**
 * The age at which the entry of this process is written again, in ms. After three times as long
 * without renewal, the process counts as dead.
 */
const REFRESH_MS = 20_000;
export const PROCESS_LIFE_MS = 3 * REFRESH_MS;
/**
 * Pause before a process without an entry (Redisson, or one that has just started) is looked up
 * again, in ms.
 */
const UNKNOWN_MS = 10_000;
const CACHE_SIZE = 256;

/**
 * The place on a server for the entries of processes, each for `PROCESS_LIFE_MS` after its last
 * renewal.
 */
export interface ProcessEntries {
  /** Writes the entry of this process. */
  write(own: ProcessView): Promise<unknown>;
  /** Removes the entry of this process. */
  remove(): Promise<unknown>;
  /** Entries by process id. A process that the answer names without a view is not looked up again for a while. */
  read(
    processIds: readonly string[],
    deadline?: number,
  ): Promise<Iterable<readonly [string, ProcessView | undefined]>>;
}

interface KnownProcess {
  readonly view: ProcessView | undefined;
  readonly readAt: number;
}

/**
 * The process behind an id. For people and logs only: it is read and written on the side, and no
 * claim waits for it.
 */
export class ProcessDirectory {
  readonly #known = new Map<string, KnownProcess>();
  #writtenAt = -Infinity;

  constructor(
    readonly processId: string,
    private readonly own: ProcessView,
    private readonly entries: ProcessEntries,
    private readonly clock: Clock,
  ) {}

  /** Writes the entry of this process if it is due. */
  refresh(): void {
    if (this.clock.now() - this.#writtenAt >= REFRESH_MS) this.write().catch(() => undefined);
  }

  /** Writes the entry of this process. @param entries @default those of the directory */
  async write(entries: Pick<ProcessEntries, 'write'> = this.entries): Promise<void> {
    this.#writtenAt = this.clock.now();
    await entries.write(this.own);
  }

  async remove(): Promise<void> {
    if (this.#writtenAt > -Infinity) await this.entries.remove();
  }

  /** The known state; an unknown process is looked up for the next call. */
  cached(processId: string): ProcessView | undefined {
    const view = this.#viewOf(processId);
    const readAt = this.#known.get(processId)?.readAt ?? -Infinity;
    if (view === undefined && this.clock.now() - readAt >= UNKNOWN_MS) {
      this.#remember(processId, undefined);
      this.find([processId]).catch(() => undefined);
    }
    return view;
  }

  /**
   * Looks up the processes that are not known. @param deadline local monotonic ms @default that of
   * the server's calls
   */
  async find(
    processIds: readonly string[],
    deadline?: number,
  ): Promise<ReadonlyMap<string, ProcessView | undefined>> {
    const views = new Map(processIds.map((id) => [id, this.#viewOf(id)]));
    const unknown = [...views.keys()].filter((id) => views.get(id) === undefined);
    if (unknown.length === 0) return views;
    for (const [id, view] of await this.entries.read(unknown, deadline)) {
      this.#remember(id, view);
      views.set(id, view);
    }
    return views;
  }

  #viewOf(processId: string): ProcessView | undefined {
    return processId === this.processId ? this.own : this.#known.get(processId)?.view;
  }

  #remember(processId: string, view: ProcessView | undefined): void {
    this.#known.delete(processId);
    if (this.#known.size >= CACHE_SIZE) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(processId, { view, readAt: this.clock.now() });
  }
}
