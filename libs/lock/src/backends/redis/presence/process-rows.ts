import { hostname } from 'node:os';
import type { ProcessView } from '../../../core/claim.js';
import type { Clock } from '../../../core/clock.js';
import type { Send } from '../connection/connection.js';
import { processKey } from '../protocol/keys.js';

/** Life of a row without a sign, and the age from which it is written anew, in ms. */
const ROW_TTL_MS = 60_000;
const REFRESH_MS = 20_000;
/** A process without a row (Redisson, or one that has just begun) is looked up again after this long, in ms. */
const UNKNOWN_MS = 10_000;
const CACHE_SIZE = 256;

interface Row {
  readonly view: ProcessView | undefined;
  readonly readAt: number;
}

/** Who is behind a process id. For people and logs only: written and read on the side, never waited for by a claim. */
export class ProcessRows {
  readonly #rows = new Map<string, Row>();
  readonly #own: ProcessView;
  #signedAt = -Infinity;

  constructor(
    readonly processId: string,
    label: string | undefined,
    private readonly send: Send,
    private readonly clock: Clock,
    /** Kept beside the row. */
    private readonly agreement?: { keep(): void },
  ) {
    this.#own = { host: hostname(), pid: process.pid, ...(label !== undefined && { label }) };
  }

  /** Writes the own row if it is due. */
  sign(): void {
    this.agreement?.keep();
    if (this.clock.now() - this.#signedAt >= REFRESH_MS) void this.write(this.send).catch(() => undefined);
  }

  async write(send: Send): Promise<void> {
    this.#signedAt = this.clock.now();
    await send('set', [processKey(this.processId), JSON.stringify(this.#own), 'PX', ROW_TTL_MS]);
  }

  async erase(): Promise<void> {
    if (this.#signedAt > -Infinity) await this.send('del', [processKey(this.processId)]);
  }

  /** What is known now; an unknown process is looked up for the next time. */
  known(processId: string): ProcessView | undefined {
    if (processId === this.processId) return this.#own;
    const row = this.#rows.get(processId);
    if (row?.view === undefined && !(this.clock.now() - (row?.readAt ?? -Infinity) < UNKNOWN_MS)) {
      this.#keep(processId, undefined);
      void this.find(processId).catch(() => undefined);
    }
    return row?.view;
  }

  async find(processId: string): Promise<ProcessView | undefined> {
    const known = processId === this.processId ? this.#own : this.#rows.get(processId)?.view;
    if (known !== undefined) return known;
    const view = parse(await this.send('get', [processKey(processId)]));
    this.#keep(processId, view);
    return view;
  }

  #keep(processId: string, view: ProcessView | undefined): void {
    this.#rows.delete(processId);
    if (this.#rows.size >= CACHE_SIZE) this.#rows.delete(this.#rows.keys().next().value!);
    this.#rows.set(processId, { view, readAt: this.clock.now() });
  }
}

/** A row as anybody may have written it. */
function parse(text: unknown): ProcessView | undefined {
  if (typeof text !== 'string' || text.length > 4_096) return undefined;
  try {
    const { host, pid, label } = JSON.parse(text) as Partial<ProcessView>;
    if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
    return { host, pid, ...(typeof label === 'string' && { label }) };
  } catch {
    return undefined;
  }
}
